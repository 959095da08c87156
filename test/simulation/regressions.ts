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
  {
    seed: 843,
    invariant: 'silent',
    was: 'a change that was complete was told as moving when somebody looked an hour later',
  },
  {
    seed: 1158,
    invariant: 'converges',
    was: 'an owner Lease that the API server once denied was never dropped: nobody could adopt',
  },
  {
    seed: 1164,
    invariant: 'converges',
    was: 'a restore in place that was refused held up the databases of the spec',
  },
  {
    seed: 2182,
    invariant: 'converges',
    was: 'the same for a read replica',
  },
  {
    seed: 1450,
    invariant: 'silent',
    was: 'the words of a refused restore moved on with the range',
  },
  {
    seed: 1878,
    invariant: 'no-alarm-left',
    was: 'a topic outlived its Rds after one wrong 404',
  },
  {
    seed: 1913,
    invariant: 'status-keeps-id',
    was: 'a wrong 404 for the journal and a cloud out of reach: an answer without the id',
  },
  {
    seed: 1999,
    invariant: 'silent',
    was: 'a create that left nothing and could not be repeated was told in two ways in turns',
  },
  {
    seed: 2389,
    invariant: 'no-hot-loop',
    was: 'a drawn password that got lost was waited for with a call a second',
  },
  {
    seed: 2453,
    invariant: 'silent',
    was: 'two replicas with lists of backups of different age told two backups in turns',
  },
  {
    seed: 2850,
    invariant: 'no-hot-loop',
    was: 'a replica that could not log in and one that could told of a delete in turns',
  },
  {
    seed: 3759,
    invariant: 'converges',
    was: 'Retain after the delete was sent let the instance go: another Rds adopted what was being deleted',
  },
  {
    seed: 3896,
    invariant: 'converges',
    was: 'a next try told by a clock that was ahead was waited for an hour',
  },
  {
    seed: 4946,
    invariant: 'silent',
    was: 'that the autopilot is off was told of an older spec until somebody had to look closer',
  },
  {
    seed: 3455,
    invariant: 'converges',
    was: 'a delete that waited for a drill told nobody that the credentials to end it were gone',
  },
  { seed: 5624, invariant: 'converges', was: 'the same with Retain as a late word' },
  {
    seed: 4966,
    invariant: 'copy-stays',
    was: 'an old picture of a Secret took its copy along while the Rds was being deleted',
  },
  {
    seed: 5566,
    invariant: 'no-hot-loop',
    was: 'two leaders, one without the new Secret in its list, told of the password in turns',
  },
  {
    seed: 3817,
    invariant: 'journal-never-forgets',
    was: 'a spec from before it was ordered made an upgrade be ordered again',
  },
  {
    seed: 356,
    invariant: 'answer-stands',
    was: 'an answer stood over the one minute of the hour in which an unconfirmed address is asked again',
  },
  {
    seed: 550,
    invariant: 'password-matches',
    was: 'the oracle looked at a late create only after Retain had let its Rds go with its Secret',
  },
  {
    seed: 1659,
    invariant: 'converges',
    was: 'people made an Rds whose CRD was gone, which no API server takes',
  },
  {
    seed: 4381,
    invariant: 'claim-before-write',
    was: 'a policy edited to Retain let the instance go while a paused replica could still order its final backup',
  },
];
