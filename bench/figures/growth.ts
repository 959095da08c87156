// Does the cost of a sync or of an Rds grow with the fleet? A fresh process for each size, which is asked about the whole fleet
// in rounds. Between two of them a minute goes by for it, so that what is read again each minute has its share in every round.

import { askEach } from '../client.ts';
import { digits, type Figure, type Setting, spreadText } from '../figure.ts';
import { pinClient, startCloud, startUnlimitedHook } from '../processes/start.ts';
import { settledFleet } from '../settled-fleet.ts';
import { slopeOf, spreadOf } from '../statistics.ts';
import { PACE_MS } from './rested-hook.ts';

/** As long as an answer may stand: each Rds is worked out in one of them, and its answer found in the others. */
const ROUNDS = 10;

const SCALES = {
  tiny: { sizes: [10, 20], warmUp: 20 },
  quick: { sizes: [100, 1_000], warmUp: 2_000 },
  full: { sizes: [1_000, 4_000, 10_000], warmUp: 40_000 },
};

/** Of a sync, from the smallest fleet to the largest; noise of the machine included. */
const TARGET_GROWTH = 0.1;
const SYNCS_PER_SECOND_AND_RDS = 1_000 / PACE_MS;

type Size = { count: number; cpuUs: number[]; heapMb: number; rssMb: number };

export async function growth({ scale, folder }: Setting): Promise<Figure> {
  const { sizes, warmUp } = SCALES[scale];
  const seen: Size[] = [];
  pinClient();
  for (const count of sizes) seen.push(await measure(count, warmUp, folder));
  return report(seen);
}

async function measure(count: number, warmUp: number, folder: string): Promise<Size> {
  const fleet = await settledFleet(count, { isNow: true });
  const cloud = await startCloud(folder, fleet.cloud);
  const hook = await startUnlimitedHook(cloud.url);
  const target = { port: hook.port, path: '/sync' };
  const round = async (): Promise<number> => {
    await hook.read('round');
    const before = await hook.read('cpu');
    await askEach(target, { from: 0, to: count }, fleet.body);
    const after = await hook.read('cpu');
    return ((after.cpuMs - before.cpuMs) * 1_000) / count;
  };
  // The same number of calls for each size: a young process is slower than a warm one.
  for (let asked = 0; asked < warmUp; asked += count) await round();
  const { heapBytes, rssBytes } = await hook.read('memory');
  const cpuUs: number[] = [];
  for (let number = 0; number < ROUNDS; number += 1) cpuUs.push(await round());
  await hook.stop();
  await cloud.stop();
  return { count, cpuUs, heapMb: heapBytes / 2 ** 20, rssMb: rssBytes / 2 ** 20 };
}

const meanOf = (values: readonly number[]) =>
  values.reduce((total, value) => total + value, 0) / values.length;

function report(sizes: Size[]): Figure {
  const cpu = sizes.map(({ count, cpuUs }) => ({ x: count, y: meanOf(cpuUs) }));
  const middle = spreadOf(cpu.map(({ y }) => y)).median;
  const span = (sizes.at(-1)?.count ?? 0) - (sizes[0]?.count ?? 0);
  const grown = (slopeOf(cpu) * span) / middle;
  const heap = sizes.map(({ count, heapMb }) => ({ x: count, y: heapMb }));
  return {
    title: 'Growth',
    lines: [
      ...sizes.map(({ count, cpuUs, heapMb, rssMb }) => ({
        what: `${count} Rds: cpu per sync, µs; heap; resident`,
        value: `${digits(meanOf(cpuUs), 0)}; ${digits(heapMb, 0)} MB; ${digits(rssMb, 0)} MB`,
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
    notes: [
      `The mean of ${ROUNDS} rounds, in which every Rds is worked out once; the spread is that of the rounds.`,
    ],
  };
}
