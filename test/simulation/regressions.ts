// Seeds that once failed, kept for good. A seed means the same schedule only as long as plan.ts, decisions.ts and the
// sites stay as they are; the story in `was` says what it showed.

export type Regression = { seed: number; invariant: string; was: string };

export const REGRESSIONS: readonly Regression[] = [
  { seed: 4, invariant: 'silent', was: 'a clock that jumped back kept an old picture fresh for an hour' },
  {
    seed: 49,
    invariant: 'converges',
    was: 'a clock that jumped back held all calls at the rate limit for hours',
  },
  {
    seed: 219,
    invariant: 'one-instance-per-uid',
    was: 'an adopt annotation hid the own open create: second instance',
  },
  {
    seed: 1035,
    invariant: 'one-instance-per-uid',
    was: 'the same after a killed replica and a refused create',
  },
  {
    seed: 77,
    invariant: 'no-hot-loop',
    was: 'after finalized the next call was asked for in one second, for ever',
  },
  { seed: 180, invariant: 'no-hot-loop', was: 'the same with a write to the cloud every second' },
  {
    seed: 15,
    invariant: 'silent',
    was: 'InstanceGone flipped to InstanceMissing and back every ten minutes',
  },
  {
    seed: 200078,
    invariant: 'converges',
    was: 'a failed journal read published a password that the cloud did not have',
  },
  {
    seed: 300048,
    invariant: 'foreign-untouched',
    was: 'adoption took the untagged instance of a living Rds',
  },
  {
    seed: 174,
    invariant: 'converges',
    was: 'a replica whose clock was behind left an order for logs open',
  },
  {
    seed: 367,
    invariant: 'converges',
    was: 'a replica whose clock was ahead tried a SQL Job again without a pause',
  },
  {
    seed: 321,
    invariant: 'no-hot-loop',
    was: 'two replicas told two kinds of bad news of the cloud in turns',
  },
  {
    seed: 2093,
    invariant: 'shared-where-agreed',
    was: 'a copy outlived its Secret, which went with the namespace of an Rds that could not go',
  },
  {
    seed: 100023,
    invariant: 'claim-before-write',
    was: 'a policy edited to Delete let the delete overtake a final backup that a paused replica had claimed',
  },
  {
    seed: 78,
    invariant: 'converges',
    was: 'a replica whose clock was behind waited an hour too long with the next try of a SQL Job',
  },
];
