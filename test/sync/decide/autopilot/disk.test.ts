import t from 'tap';
import { type DiskNeed, grownSize } from '../../../../src/sync/decide/autopilot/disk.ts';

const MINUTE = 60_000;
const NEED: DiskNeed = {
  presentGb: 40,
  usedGb: 37,
  gbPerMs: 0,
  thresholdPercent: 90,
  stepGb: 10,
  maxGb: 200,
  leadMs: 60 * MINUTE,
};

const CASES: { given: Partial<DiskNeed>; want: number | undefined; because: string }[] = [
  { given: {}, want: 50, because: 'one step brings 37 GB well below 90 %' },
  { given: { stepGb: 30 }, want: 70, because: 'the step is the least' },
  { given: { presentGb: 1000, usedGb: 930 }, want: undefined, because: 'a disk past the bound stays' },
  {
    given: { presentGb: 1000, usedGb: 930, maxGb: 4000 },
    want: 1040,
    because: '930 of 1030 GB is still over 90 %',
  },
  { given: { usedGb: 36, presentGb: 40 }, want: 50, because: '36 of 40 GB is 90 %: one step' },
  { given: { gbPerMs: 10 / (60 * MINUTE) }, want: 60, because: '10 GB come before the next decision' },
  { given: { gbPerMs: 100 / (60 * MINUTE) }, want: 160, because: '100 GB come' },
  { given: { gbPerMs: 1000 / (60 * MINUTE) }, want: 200, because: 'the bound counts, however fast it grows' },
  { given: { gbPerMs: -1 }, want: 50, because: 'data that goes away is no reason for less than a step' },
  { given: { maxGb: 45 }, want: 45, because: 'a step may be cut by the bound' },
  { given: { maxGb: 40 }, want: undefined, because: 'at the bound' },
  { given: { maxGb: 30 }, want: undefined, because: 'past the bound: never smaller' },
];

for (const { given, want, because } of CASES)
  t.test(because, async (t) => {
    t.equal(grownSize({ ...NEED, ...given }), want);
  });

t.test('never smaller, never past the bound, always enough or at the bound', async (t) => {
  let seed = 7;
  const below = (max: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % max;
  };
  for (let round = 0; round < 5_000; round += 1) {
    const presentGb = 40 + 10 * below(400);
    const need: DiskNeed = {
      presentGb,
      usedGb: (presentGb * below(101)) / 100,
      gbPerMs: (below(1_000) - 500) / 10_000_000,
      thresholdPercent: 50 + below(48),
      stepGb: 10 * (1 + below(100)),
      maxGb: 40 + 10 * below(397),
      leadMs: below(600) * MINUTE,
    };
    const size = grownSize(need);
    if (size === undefined) {
      if (presentGb < need.maxGb) t.fail(JSON.stringify(need));
      continue;
    }
    const usedThen = need.usedGb + Math.max(0, need.gbPerMs) * need.leadMs;
    const isEnough = usedThen < (size * need.thresholdPercent) / 100 || size === need.maxGb;
    if (!(size > presentGb && size <= need.maxGb && isEnough)) t.fail(JSON.stringify({ need, size }));
  }
  t.pass('5,000 disks');
});
