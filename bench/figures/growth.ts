// Does the cost of a sync or of an Rds grow with the fleet? A fresh process for each size, everything looked at twice:
// once to fill its caches, once to measure.

import { askEach } from '../client.ts';
import { digits, type Figure, type Setting, spreadText } from '../figure.ts';
import { pinClient, startCloud, startUnlimitedHook } from '../processes/start.ts';
import { settledFleet } from '../settled-fleet.ts';
import { slopeOf, spreadOf } from '../statistics.ts';

const SCALES = {
  tiny: { sizes: [10, 20], warmUp: 20, parts: 2, perPart: 10 },
  quick: { sizes: [100, 1_000], warmUp: 1_000, parts: 4, perPart: 150 },
  full: { sizes: [1_000, 4_000, 10_000], warmUp: 4_000, parts: 6, perPart: 200 },
};

/** Of a sync, from the smallest fleet to the largest; noise of the machine included. */
const TARGET_GROWTH = 0.1;
const SYNCS_PER_SECOND_AND_RDS = 1 / 65;

type Size = { count: number; cpuUs: number[]; heapMb: number; rssMb: number };

export async function growth({ scale, folder }: Setting): Promise<Figure> {
  const { sizes, warmUp, parts, perPart } = SCALES[scale];
  const seen: Size[] = [];
  pinClient();
  for (const count of sizes) seen.push(await measure(count, { warmUp, parts, perPart, folder }));
  return report(seen);
}

type Plan = { warmUp: number; parts: number; perPart: number; folder: string };

async function measure(count: number, { warmUp, parts, perPart, folder }: Plan): Promise<Size> {
  const fleet = await settledFleet(count, { isNow: true });
  const cloud = await startCloud(folder, fleet.cloud);
  const hook = await startUnlimitedHook(cloud.url);
  const ask = (from: number, to: number) =>
    askEach({ port: hook.port, path: '/sync' }, { from, to }, (number) => fleet.body(number % count));
  await ask(0, count);
  // The same number of calls for each size: a young process is slower than a warm one.
  await ask(0, Math.max(0, warmUp - count));
  const { heapBytes, rssBytes } = await hook.read('memory');
  const cpuUs: number[] = [];
  for (let part = 0; part < parts; part += 1) {
    const before = await hook.read('cpu');
    const from = Math.floor((part * count) / parts);
    await ask(from, from + perPart);
    const after = await hook.read('cpu');
    cpuUs.push(((after.cpuMs - before.cpuMs) * 1_000) / perPart);
  }
  await hook.stop();
  await cloud.stop();
  return { count, cpuUs, heapMb: heapBytes / 2 ** 20, rssMb: rssBytes / 2 ** 20 };
}

function report(sizes: Size[]): Figure {
  const cpu = sizes.map(({ count, cpuUs }) => ({ x: count, y: spreadOf(cpuUs).median }));
  const middle = spreadOf(cpu.map(({ y }) => y)).median;
  const span = (sizes.at(-1)?.count ?? 0) - (sizes[0]?.count ?? 0);
  const grown = (slopeOf(cpu) * span) / middle;
  const heap = sizes.map(({ count, heapMb }) => ({ x: count, y: heapMb }));
  return {
    title: 'Growth',
    lines: [
      ...sizes.map(({ count, cpuUs, heapMb, rssMb }) => ({
        what: `${count} Rds: cpu per sync, µs; heap; resident`,
        value: `${digits(spreadOf(cpuUs).median, 0)}; ${digits(heapMb, 0)} MB; ${digits(rssMb, 0)} MB`,
        spread: spreadText(spreadOf(cpuUs), 0),
      })),
      {
        what: `fitted growth of a sync from ${sizes[0]?.count} to ${sizes.at(-1)?.count} Rds`,
        value: `${digits(grown * 100, 0)} %`,
        target: `<= ${TARGET_GROWTH * 100} %`,
        isMet: grown <= TARGET_GROWTH,
      },
      { what: 'fitted heap per 1,000 Rds', value: `${digits(slopeOf(heap) * 1_000, 1)} MB` },
      {
        what: 'cpu per 1,000 Rds at rest, of one core',
        value: `${digits((1_000 * SYNCS_PER_SECOND_AND_RDS * middle) / 10_000, 2)} %`,
      },
    ],
    plots: [
      {
        name: 'bench-growth-cpu',
        title: 'Cpu per sync by size of the fleet',
        x: 'Rds',
        y: 'µs',
        series: [{ name: 'cpu per sync', points: cpu }],
      },
      {
        name: 'bench-growth-memory',
        title: 'Heap after a collection by size of the fleet',
        x: 'Rds',
        y: 'MB',
        series: [{ name: 'heap', points: heap }],
      },
    ],
    notes: [],
  };
}
