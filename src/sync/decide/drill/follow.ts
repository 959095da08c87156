// From an accepted create to a result: the cloud builds, the instance is marked as ours, a Job asks its questions.

import { DRILL_TAG, UID_TAG } from '../../../rds/names.ts';
import { stateOf } from '../instance-state.ts';
import { PACE } from '../plan.ts';
import { checked } from './check.ts';
import { countAbsent, judged, note, type Scene, type Step, UNHURRIED, wait } from './scene.ts';

/** Large databases take hours; whatever takes longer is removed all the same. */
const RESTORE_WITHIN_MS = 6 * 3_600_000;

export function follow(scene: Scene): Step {
  const { o, run, at, throwaway, taken } = scene;
  if (taken)
    return judged(
      scene,
      'Failed',
      `Instance ${taken.id} was renamed or taken over (${taken.name}) and is left alone.`,
    );
  if (!throwaway) return unseen(scene);
  if (run.absence) {
    const { absence: _over, ...seen } = run;
    return note(scene, seen);
  }
  const state = stateOf(throwaway);
  if (throwaway.status !== 'ACTIVE' && !state.transitional) {
    const reason = o.cloud.kind === 'fresh' ? o.cloud.throwawayFailure : undefined;
    return judged(scene, 'Failed', `${run.source}: ${state.sentence}${reason ? ` It says: ${reason}` : ''}`);
  }
  if (run.builtAt === undefined && at - (run.createClaimedAt ?? run.at) > RESTORE_WITHIN_MS)
    return judged(scene, 'Failed', `${run.source} was not restored within six hours.`);
  if (throwaway.status !== 'ACTIVE' || throwaway.ip === undefined) return wait();
  if (run.builtAt === undefined) return note(scene, { ...run, builtAt: at });
  if (throwaway.tags[UID_TAG] !== o.rds.metadata.uid || throwaway.tags[DRILL_TAG] === undefined)
    return { action: { kind: 'tagDrill', instanceId: throwaway.id }, pace: PACE.transition };
  return checked(scene);
}

/** Accepted a moment ago and not listed yet, or removed by somebody. */
function unseen(scene: Scene): Step {
  const absent = countAbsent(scene);
  if (absent === 'early') return wait();
  return absent === 'gone'
    ? judged(scene, 'Failed', `Instance ${scene.run.id} was removed by somebody else before it was checked.`)
    : note(scene, absent, UNHURRIED);
}
