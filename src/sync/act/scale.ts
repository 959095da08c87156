// A decision of the autopilot on its way into the journal, and the tag that tells of it should the journal be lost.

import { SCALED_TAG } from '../../rds/names.ts';
import type { Action } from '../decide/plan.ts';
import type { SyncDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import type { FullView } from '../observe.ts';
import { type ActResult, acted, LOST } from './result.ts';
import { staleAgainstLive } from './stale.ts';

/** Swapped in once, and only on the live spec: an old picture may show bounds or a mode that are gone (protocol C11). */
export async function scale(
  deps: SyncDeps,
  { observed, held }: FullView,
  action: Extract<Action, { kind: 'scale' }>,
): Promise<ActResult> {
  if (!held) return LOST;
  const because = await staleAgainstLive(deps, observed, { do: 'scale' });
  if (because !== undefined) return { kind: 'stale', because };
  if (!(await deps.journal.swap(held, action.journal))) return LOST;
  if (action.decided) {
    deps.log.info({ scale: action.journal.scale?.history?.[0] }, 'the autopilot decided');
    deps.decided?.(action.decided);
  }
  return { kind: 'asDecided' };
}

export async function mark(
  { observed, held, cloud }: FullView,
  { instanceId, value }: Extract<Action, { kind: 'mark' }>,
): Promise<ActResult> {
  if (!held || !cloud) return LOST;
  const instance = observed.cloud.kind === 'fresh' ? observed.cloud.instance : undefined;
  try {
    // The cloud does not overwrite a tag.
    if (instance && SCALED_TAG in instance.tags) await cloud.untagInstance(instanceId, [SCALED_TAG]);
    if (value !== undefined) await cloud.tagInstance(instanceId, { [SCALED_TAG]: value });
    return acted(held.journal, 'mark', 'done');
  } catch (error) {
    return acted(held.journal, 'mark', 'refused', toFailure(error));
  }
}
