// Known-bad variants around restore drills and restores in place.

import { plantedBug as bug, edit, type PlantedBug } from './planted-bug.ts';

export const DRILL_BUGS: readonly PlantedBug[] = [
  bug(
    'a drill is ordered without a claim',
    ['claim-before-write'],
    edit(
      'sync/act/drill.ts',
      'const open = await deps.journal.swap(held, withRun(held.journal, claimRun(run, op)));',
      'const open = { ...held, journal: withRun(held.journal, claimRun(run, op)) };',
    ),
  ),
  bug(
    'a drill of unknown outcome counts as refused',
    ['one-drill-at-a-time', 'no-orphan'],
    edit('sync/act/drill.ts', "if (error.outcome === 'unknown')", "if (error.code === 'never')"),
  ),
  bug(
    'a drill is ordered again without a proof that there is none',
    ['one-drill-at-a-time'],
    edit(
      'sync/decide/drill/run.ts',
      "if (absent === 'early') return wait();",
      "if (absent === 'early') return note(scene, refuseRun(run));",
    ),
  ),
  bug(
    'a throwaway that one list does not show is forgotten',
    ['no-orphan', 'one-drill-at-a-time'],
    edit(
      'rds/drill-run.ts',
      'if (absenceProven(seen, at, timing))',
      'if (at > 0 || absenceProven(seen, at, timing))',
    ),
  ),
  bug(
    'a delete does not wait for the throwaway of a drill',
    ['no-orphan'],
    edit(
      'sync/decide/drill/drill.ts',
      'return verdict.finalized && before?.run && !isAbandoned(o)',
      'return verdict.finalized && before?.run?.op && !isAbandoned(o)',
    ),
  ),
  bug(
    'a drill takes the primary for its throwaway',
    ['delete-only-when-deleted', 'claim-before-write', 'foreign-untouched'],
    edit(
      'sync/act/drill.ts',
      '(await cloud.deleteInstance(instanceId)).jobId',
      '(await cloud.deleteInstance(held.journal.id ?? instanceId)).jobId',
    ),
  ),
  bug(
    'a drill that is over is still due',
    ['one-drill-at-a-time'],
    edit(
      'rds/drill-run.ts',
      'const since = Math.max(rest.since, at);',
      'const since = Math.min(rest.since, at);',
    ),
  ),
  bug(
    'a paused Rds has drills',
    ['create-only-for-living', 'converges'],
    edit('sync/decide/drill/wanted.ts', 'o.spec.paused === true || isDryRun(o)', 'isDryRun(o)'),
    edit('sync/decide/drill/wanted.ts', "if (o.spec.paused) return 'spec.paused is set.';", ''),
  ),
  bug(
    'any drawing of the password of a drill will do',
    ['password-matches', 'no-hot-loop'],
    edit(
      'sync/decide/drill/check.ts',
      'return secret?.metadata.annotations?.[ANNOTATIONS.draw] === scene.run.draw.mark ? secret : undefined;',
      'return secret?.metadata.annotations?.[ANNOTATIONS.draw] === scene.run.draw.mark ? secret : secret;',
    ),
    edit(
      'sync/children/drill.ts',
      'if (o.draw().mark === run.draw.mark) return',
      'if (o.draw().mark === run.draw.mark || run.createClaimedAt === undefined) return',
    ),
  ),
  bug(
    'a restore in place is carried out and not noted',
    ['restore-once-per-value'],
    edit(
      'sync/decide/carried-out.ts',
      'return { ...next, handled: { ...next.handled, [RESTORE_MARK]: op.key } };',
      'return next;',
    ),
  ),
  bug(
    'a failed backup will do before a restore in place',
    ['restore-once-per-value'],
    edit(
      'sync/decide/restore-in-place.ts',
      "if (latest?.status === 'COMPLETED' && at - latest.beginAt <= SAFE_FOR_MS) {",
      "if (latest && latest.status !== 'BUILDING' && at - latest.beginAt <= SAFE_FOR_MS) {",
    ),
  ),
];
