// Whose instance is it: marks in the cloud (a tag) and in the cluster (a Lease). Safe to repeat, so no claims.

import { UserError } from '../../errors.ts';
import type { Instance } from '../../otc/cloud.ts';
import { ANNOTATIONS, OWN_TAGS, ownerDigitsIn, UID_TAG, uidDigits } from '../../rds/names.ts';
import type { Observed } from '../decide/observed.ts';
import type { Action } from '../decide/plan.ts';
import { knownRestores } from '../decide/restore-in-place.ts';
import type { SyncDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import type { FullView } from '../observe.ts';
import { type ActResult, acted, LOST } from './result.ts';
import { staleAgainstLive } from './stale.ts';

export async function tag(
  deps: SyncDeps,
  { observed, held, cloud }: FullView,
  instanceId: string,
): Promise<ActResult> {
  if (!held || !cloud) return LOST;
  const { uid } = observed.rds.metadata;
  const instance = observed.cloud.kind === 'fresh' ? observed.cloud.instance : undefined;
  try {
    // From here on nobody else can adopt it, whatever becomes of the tag.
    if (!(await deps.ownerLeases.take(instanceId, uid))) throw owned(instanceId);
    // Only an adopted instance gets here with another owner's tag; the cloud does not overwrite a tag.
    if (instance?.tags[UID_TAG] !== undefined) await cloud.untagInstance(instanceId, [UID_TAG]);
    await cloud.tagInstance(instanceId, { [UID_TAG]: uid });
    return acted(held.journal, 'tag', 'done');
  } catch (error) {
    return acted(held.journal, 'tag', 'refused', toFailure(error));
  }
}

/** Its owner Lease is the gate (protocol C15); a tag of an Rds that still lives in this cluster is one too. */
export async function adopt(
  deps: SyncDeps,
  { observed, held }: FullView,
  instanceId: string,
): Promise<ActResult> {
  if (!held || observed.cloud.kind !== 'fresh') return LOST;
  const because = await staleAgainstLive(deps, observed, { do: 'adopt' });
  if (because !== undefined) return { kind: 'stale', because };
  const { uid } = observed.rds.metadata;
  const seen = [observed.cloud.instance, ...observed.cloud.namesakes];
  const instance = seen.find((one) => one?.id === instanceId);
  const isLiving = instance !== undefined && (await hasLivingOwner(deps, instance, uid));
  if (isLiving || !(await takeOver(deps, instanceId, uid))) {
    const failure = toFailure(owned(instanceId));
    return acted(held.journal, 'adopt', 'refused', failure);
  }
  // An instance that was let go and is taken back is no stranger.
  const { letGo: _over, ...rest } = held.journal;
  const recorded = await deps.journal.swap(
    held,
    rest.id === instanceId
      ? rest
      : { ...rest, id: instanceId, adopted: true, ...knownRestores(observed, rest) },
  );
  return recorded ? acted(recorded.journal, 'adopt', 'done') : LOST;
}

/** A Lease outlives its Rds when the API server once denied it: a closed journal that has let go never takes it back. */
async function takeOver(
  { ownerLeases, journal }: SyncDeps,
  instanceId: string,
  uid: string,
): Promise<boolean> {
  if (await ownerLeases.take(instanceId, uid)) return true;
  const former = await ownerLeases.owner(instanceId);
  const left = former === undefined ? undefined : (await journal.read(former))?.journal;
  if (former === undefined || !left?.closed || !left.letGo) return false;
  await ownerLeases.drop(instanceId, former);
  return ownerLeases.take(instanceId, uid);
}

/** By tag, and by name: between its create and its tag an instance carries only the name. */
async function hasLivingOwner(deps: SyncDeps, instance: Instance, uid: string): Promise<boolean> {
  const owners = [instance.tags[UID_TAG], instance.name].map(ownerDigitsIn);
  const others = owners.filter((digits) => digits !== undefined && digits !== uidDigits(uid));
  for (const digits of others) if (await deps.journal.isLiving(digits ?? '')) return true;
  return false;
}

function owned(instanceId: string): UserError {
  return new UserError(
    `instance ${instanceId} is owned by another Rds; let it go there first (deletionPolicy: Retain)`,
    {
      code: 'OWNED',
      outcome: 'refused',
      field: `metadata.annotations[${ANNOTATIONS.adopt}]`,
    },
  );
}

function marksOn({ cloud }: Observed): string[] {
  const tags = cloud.kind === 'fresh' ? (cloud.instance?.tags ?? {}) : {};
  return OWN_TAGS.filter((key) => key === UID_TAG || key in tags);
}

/** The journal first: from then on others may have the instance, and a repeated call finishes the rest. */
export async function letGo(
  deps: SyncDeps,
  { observed, held, cloud }: FullView,
  action: Extract<Action, { kind: 'letGo' }>,
): Promise<ActResult> {
  if (!held) return LOST;
  const because = action.keeps ? await staleAgainstLive(deps, observed, { do: 'letGo' }) : undefined;
  if (because !== undefined) return { kind: 'stale', because };
  if (!held.journal.letGo && !(await deps.journal.swap(held, { ...held.journal, letGo: true }))) return LOST;
  try {
    if (action.untag && cloud) await cloud.untagInstance(action.instanceId, marksOn(observed));
  } catch (error) {
    return acted(held.journal, 'untag', 'refused', toFailure(error));
  }
  if (action.instanceId !== '') await deps.ownerLeases.drop(action.instanceId, observed.rds.metadata.uid);
  return { kind: 'asDecided' };
}
