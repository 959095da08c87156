// The next step of a drill that runs: draw a password, restore the newest backup into a throwaway instance, check it,
// remove it. Each step is idempotent and found again by name, like those of the primary.

import { acceptRun, refuseRun } from '../../../rds/drill-run.ts';
import { PACE } from '../plan.ts';
import { findDrillSecret } from './check.ts';
import { follow } from './follow.ts';
import { removal } from './removal.ts';
import { countAbsent, judged, note, type Scene, type Step, UNHURRIED, wait } from './scene.ts';
import { givenUp, isDryRun } from './wanted.ts';

/** A drill that cannot even begin says something about the day when it counts. */
const START_WITHIN_MS = 3_600_000;

export function runStep(scene: Scene): Step {
  const { o, journal, run } = scene;
  const isDeleted = o.rds.metadata.deletionTimestamp !== undefined;
  if (isDryRun(o) && !isDeleted) return wait(PACE.settled);
  const because = run.result ? undefined : givenUp(o, journal, run.wish);
  if (because !== undefined) return judged(scene, 'Cancelled', because);
  if (run.op) return settle(scene);
  if (run.result) return removal(scene);
  return run.id === undefined ? begin(scene) : follow(scene);
}

/** A write of unknown outcome: seeing its effect closes it, the settle time or a proof of absence frees it. */
function settle(scene: Scene): Step {
  const { o, run, at, throwaway } = scene;
  if (run.op?.kind === 'removeDrill') {
    if (!throwaway) return note(scene, acceptRun(run, {}));
    return at >= run.op.at + o.timing.settleMs ? note(scene, refuseRun(run)) : wait();
  }
  if (throwaway) return note(scene, acceptRun(run, { id: throwaway.id }));
  const absent = countAbsent(scene);
  if (absent === 'early') return wait();
  return absent === 'gone' ? note(scene, refuseRun(run)) : note(scene, absent, UNHURRIED);
}

function begin(scene: Scene): Step {
  const { o, journal, run, at, throwaway } = scene;
  if (throwaway) return note(scene, { ...run, id: throwaway.id, createClaimedAt: run.createClaimedAt ?? at });
  if (at - run.at > START_WITHIN_MS)
    return judged(scene, 'Failed', run.trouble?.text ?? 'It could not be started within an hour.');
  if (run.trouble && at < run.trouble.until) return wait();
  const primary = o.cloud.kind === 'fresh' ? o.cloud.instance : undefined;
  if (primary?.id !== journal.id || primary?.status !== 'ACTIVE') return wait();
  // As for the primary: the password is in its Secret before the cloud has it.
  if (findDrillSecret(scene)) return { action: { kind: 'createDrill' }, pace: UNHURRIED };
  if (at < run.draw.at + o.timing.settleMs) return wait(PACE.transition);
  return note(scene, { ...run, draw: { mark: o.draw().mark, at } });
}
