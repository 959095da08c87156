import t from 'tap';
import { quietPeak, slope, sustained } from '../../../../src/sync/decide/autopilot/evidence.ts';

const PERIOD = 300_000;
const NOW = 100 * PERIOD;
/** One value for each period of five minutes, the last one just over. */
const points = (...values: number[]) =>
  values.map((value, index) => ({ at: NOW - (values.length - index) * PERIOD, value }));

const CASES: { given: number[]; sinceMs?: number; late?: number; want: boolean; because: string }[] = [
  { given: [95, 95, 95], want: true, because: 'three periods over the threshold' },
  { given: [10, 10, 95, 95, 90], want: true, because: 'only the last three count, and 90 is enough' },
  { given: [95, 95, 89], want: false, because: 'the last one is below' },
  { given: [95, 89, 95], want: false, because: 'one in between is below' },
  { given: [95, 95], want: false, because: 'two are too few' },
  { given: [], want: false, because: 'nothing was measured' },
  {
    given: [95, 95, 95],
    sinceMs: NOW - 3 * PERIOD,
    want: true,
    because: 'all were measured after the change',
  },
  {
    given: [95, 95, 95],
    sinceMs: NOW - 3 * PERIOD + 1,
    want: false,
    because: 'the first began before the change was over',
  },
  {
    given: [95, 95, 95],
    late: 30 * 60_000,
    want: false,
    because: 'values of half an hour ago say nothing about now',
  },
];

for (const { given, sinceMs = 0, late = 0, want, because } of CASES)
  t.test(because, async (t) => {
    const found = sustained(points(...given), { threshold: 90, sinceMs, nowMs: NOW + late });
    t.equal(found !== undefined, want);
  });

t.test('the slope of a line is the line', async (t) => {
  t.equal(slope([]), 0);
  t.equal(slope(points(5)), 0);
  t.equal(slope(points(1, 2, 3)), 1 / PERIOD);
  t.equal(slope(points(7, 7, 7)), 0);
  t.ok(slope(points(9, 1, 2)) < 0);
});

const QUIET: { given: number[]; want: number | undefined; because: string }[] = [
  { given: [10, 20, 30, 20, 10, 10], want: 30, because: 'quiet all the time: the highest value' },
  { given: [10, 20, 40, 20, 10, 10], want: undefined, because: 'one value is not below' },
  { given: [10, 10], want: undefined, because: 'half of the time is not covered' },
  { given: [], want: undefined, because: 'nothing was measured' },
];

for (const { given, want, because } of QUIET)
  t.test(because, async (t) => {
    t.equal(quietPeak(points(...given), { below: 40, fromMs: NOW - 6 * PERIOD, nowMs: NOW }), want);
  });
