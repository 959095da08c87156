// What docs/autopilot.md shows: each alarm with its action and times, and a month of virtual time as a picture.
// `node test/sync/autopilot-show.ts [--days 30]` prints the figures and writes docs/pictures/autopilot-month.svg.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { findFlavor } from '../../src/simulator/rds/flavors.ts';
import { loadAt } from '../../src/simulator/rds/load-phase.ts';
import { HOUR, MINUTE, START } from '../support/world.ts';
import { ACT, type AutopilotWorld, autopilotWorld, BASE, type Load } from './autopilot-world.ts';

const { values } = parseArgs({ options: { days: { type: 'string', default: '30' } } });
const PICTURE = new URL('../../docs/pictures/autopilot-month.svg', import.meta.url);

const closing: (() => Promise<void>)[] = [];
const t = { teardown: (run: () => Promise<void>) => void closing.push(run) };

const minutes = (ms: number) => `${(ms / MINUTE).toFixed(1)} min`;

async function when(world: AutopilotWorld, holds: () => boolean): Promise<number> {
  await world.clock.runUntil(holds, 3 * HOUR);
  return world.clock.now();
}

async function shown(name: string, load: Load): Promise<void> {
  const world = await autopilotWorld(t, ACT);
  await world.wait(20);
  const events = (kind: RegExp) =>
    world.simulator.state.events.filter((one) => kind.test(one.kind)).at(-1)?.at;
  const before = world.simulator.state.events.length;
  const since = world.clock.now();
  await world.load(load);
  const isNew = (kind: RegExp) => () =>
    world.simulator.state.events.slice(before).some((one) => kind.test(one.kind));
  await when(world, isNew(/^(enlarged|resized)$/));
  const alarmAt = world.simulator.state.events.slice(before).find(({ kind }) => kind === 'alarm-alarm')?.at;
  const actedAt = events(/^(enlarge|resize)$/) ?? since;
  const doneAt = events(/^(enlarged|resized)$/) ?? since;
  const wasAlarmed = isNew(/^alarm-alarm$/)();
  const okAt = wasAlarmed ? await when(world, isNew(/^alarm-ok$/)) : undefined;
  const what = (await world.status('shop')).scaling?.history?.[0];
  const wait = (at: number | undefined) => (at === undefined ? '-' : minutes(at - since));
  console.log(
    `| ${name} | ${wait(alarmAt)} | ${wait(actedAt)} | ${wait(doneAt)} | ${wait(okAt)} | ${what?.what} |`,
  );
}

type Sample = { day: number; cpu: number; vcpus: number; usedGb: number; volumeGb: number };

async function month(days: number): Promise<Sample[]> {
  const world = await autopilotWorld(t, {
    ...BASE,
    autopilot: {
      mode: 'Act',
      storage: { maxGb: 80 },
      compute: {
        thresholdPercent: 85,
        maxFlavor: 'rds.mysql.n1.xlarge.2',
        minFlavor: 'rds.mysql.n1.large.2',
        scaleDown: { belowPercent: 40, forMinutes: 120 },
      },
      cooldownMinutes: 30,
    },
  });
  await world.load({ scale: 1.9, growthGbPerDay: 2 } as Load);
  const samples: Sample[] = [];
  while (world.clock.now() - START < days * 24 * HOUR) {
    await world.clock.advance(HOUR / 2);
    const instance = world.instance();
    const now = loadAt(instance?.phases ?? [], world.clock.now());
    samples.push({
      day: (world.clock.now() - START) / (24 * HOUR),
      cpu: now?.cpu ?? 0,
      vcpus: findFlavor(instance?.flavor ?? '')?.vcpus ?? 0,
      usedGb: now?.usedGb ?? 0,
      volumeGb: instance?.volumeGb ?? 0,
    });
  }
  return samples;
}

const WIDTH = 900;
const ROW = 130;

function row(
  title: string,
  top: number,
  max: number,
  days: number,
  lines: { color: string; points: [number, number][] }[],
) {
  const x = (day: number) => (60 + (day / days) * (WIDTH - 80)).toFixed(1);
  const y = (value: number) => (top + ROW - (value / max) * (ROW - 10)).toFixed(1);
  const paths = lines.map(
    ({ color, points }) =>
      `<polyline fill="none" stroke="${color}" stroke-width="1.2" points="${points.map(([day, value]) => `${x(day)},${y(value)}`).join(' ')}"/>`,
  );
  const grid = [0, max / 2, max].map(
    (value) =>
      `<line x1="60" x2="${WIDTH - 20}" y1="${y(value)}" y2="${y(value)}" stroke="#ddd"/><text x="52" y="${Number(y(value)) + 4}" text-anchor="end">${value}</text>`,
  );
  return `<text x="60" y="${top + 2}">${title}</text>${grid.join('')}${paths.join('')}`;
}

function picture(samples: readonly Sample[], days: number): string {
  const line = (pick: (one: Sample) => number) =>
    samples.map((one): [number, number] => [one.day, pick(one)]);
  const parts = [
    row('cpu in percent', 30, 100, days, [{ color: '#c0392b', points: line(({ cpu }) => cpu) }]),
    row('cores: the machine follows the load, never above the bound of 4', 200, 4, days, [
      { color: '#2c3e50', points: line(({ vcpus }) => vcpus) },
    ]),
    row('disk in GB (blue) and data on it (grey); the bound is 80', 370, 80, days, [
      { color: '#2980b9', points: line(({ volumeGb }) => volumeGb) },
      { color: '#7f8c8d', points: line(({ usedGb }) => usedGb) },
    ]),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} 530" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>${parts.join('\n')}<text x="60" y="522">days (a simulated month of ${days} days)</text></svg>\n`;
}

console.log('| load | alarm | sent | complete | alarm off | decision |\n|---|---|---|---|---|---|');
await shown('disk 92 %', { disk: 92 });
await shown('cpu 95 %', { cpu: 95 });
await shown('memory 95 %', { mem: 95 });
await shown('disk 99 % (STORAGE FULL)', { disk: 99 });

const days = Number(values.days);
if (days > 0) {
  const samples = await month(days);
  const peak = Math.max(...samples.map(({ vcpus }) => vcpus));
  const used = samples.reduce((sum, { vcpus }) => sum + vcpus, 0) / samples.length;
  const disk = samples.at(-1);
  writeFileSync(PICTURE, picture(samples, days));
  console.log(
    `${days} days: ${used.toFixed(2)} cores on average, ${peak} at the peak: ${Math.round((1 - used / peak) * 100)} % less than a machine of the peak size;` +
      ` disk ${samples[0]?.volumeGb} -> ${disk?.volumeGb} GB for ${disk?.usedGb.toFixed(0)} GB of data, largest ${Math.max(...samples.map(({ volumeGb }) => volumeGb))}`,
  );
}
for (const close of closing) await close();
