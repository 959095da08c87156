// The one write of a call. For writes that must not be repeated the order is the protocol (C2): journal read
// and cloud read are behind us -> live read of the Rds -> swap the claim in -> check the time -> act -> record.

import { CloudError, RetryableError, TerminalError, UserError } from '../errors.ts';
import { KubeUnreachable } from '../kube/api.ts';
import { type HeldJournal, JournalUnavailable } from '../kube/journal.ts';
import type { Cloud, NewInstance } from '../otc/cloud.ts';
import { fullSpec } from '../rds/defaults.ts';
import { accepted, claim, type Journal, type Op, type OpKind, refused } from '../rds/journal.ts';
import { ANNOTATIONS, UID_TAG } from '../rds/names.ts';
import { annotation } from '../rds/object.ts';
import { type CallBudget, LIMITS } from './budget.ts';
import { createInputs } from './decide/creation.ts';
import { effectivePolicy } from './decide/deletion-policy.ts';
import type { Acted, Observed } from './decide/observed.ts';
import { restartCarriedOut } from './decide/orders.ts';
import { passwordVersion } from './decide/password.ts';
import type { Action, Claimed } from './decide/plan.ts';
import type { SyncDeps } from './deps.ts';
import { toFailure } from './failure.ts';
import type { FullView } from './observe.ts';
import { prepareCreate } from './prepare-create.ts';

export type ActResult =
  /** The decision's own words stand. */
  | { kind: 'asDecided' }
  | { kind: 'acted'; acted: Acted; journal: Journal }
  | { kind: 'stale'; because: string };

const LOST: ActResult = { kind: 'stale', because: 'another call was faster' };

export async function act(
  deps: SyncDeps,
  full: FullView,
  action: Action,
  budget: CallBudget,
): Promise<ActResult> {
  const { observed, held } = full;
  const { uid, namespace, name } = observed.rds.metadata;
  switch (action.kind) {
    case 'openJournal':
      return (await deps.journal.create(uid, action.journal, { namespace, name }))
        ? { kind: 'asDecided' }
        : LOST;
    case 'swapJournal':
      return held && (await deps.journal.swap(held, action.journal)) ? { kind: 'asDecided' } : LOST;
    case 'claim':
      return claimAndWrite(deps, full, action, budget);
    case 'tag':
      return tag(deps, full, action.instanceId);
    case 'adopt':
      return adopt(deps, full, action.instanceId);
    case 'letGo':
      return letGo(deps, full, action);
    case 'takeReboot':
      return takeReboot(deps, full, action.journal);
    case 'forgetReboot':
      return forgetReboot(deps, full);
    default:
      return { kind: 'asDecided' };
  }
}

type Claim = Extract<Action, { kind: 'claim' }>;

async function claimAndWrite(
  deps: SyncDeps,
  full: FullView,
  action: Claim,
  budget: CallBudget,
): Promise<ActResult> {
  const { observed, held, cloud } = full;
  if (!held || !cloud) return LOST;
  const { kind } = action.op;
  let order: NewInstance | undefined;
  try {
    if (action.write.do === 'create') order = await preparedCreate(deps, cloud, observed);
  } catch (error) {
    return {
      kind: 'acted',
      journal: held.journal,
      acted: { kind: 'prepare', result: 'refused', failure: toFailure(error) },
    };
  }
  const because = await staleAgainstLive(deps, observed, action.write);
  if (because !== undefined) return { kind: 'stale', because };
  const source = kind === 'create' ? { password: passwordVersion(observed) } : {};
  const claimed = await deps.journal.swap(held, { ...claim(held.journal, action.op), ...source });
  if (!claimed) return LOST;
  // The swap may have taken long: what would start too late could outlast the settle time.
  const limit = kind === 'create' ? LIMITS.startCreateMs : LIMITS.startCallsMs;
  if (budget.elapsedMs() > limit) {
    const failure = toFailure(
      new RetryableError('no time was left in this call', { code: 'BUDGET', outcome: 'refused' }),
    );
    return recordRefusal(deps, observed, claimed, kind, failure);
  }
  deps.log.info({ op: claimed.journal.op }, `${kind} sent to the cloud`);
  try {
    const facts = await write(cloud, action.write, order, observed);
    return await recordSuccess(deps, claimed, action.write, facts);
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    const failure = toFailure(error);
    deps.log.warn({ op: claimed.journal.op, code: failure.code, outcome: error.outcome }, `${kind} failed`);
    if (error.outcome === 'unknown')
      return { kind: 'acted', journal: claimed.journal, acted: { kind, result: 'unknown', failure } };
    return recordRefusal(deps, observed, claimed, kind, failure);
  }
}

/** In memory mode a fresh process knows no claims: it treats every older Rds as claimed at its own start (C14). */
async function preparedCreate(deps: SyncDeps, cloud: Cloud, o: Observed): Promise<NewInstance> {
  const since = deps.memorySince;
  if (since !== undefined && Date.parse(o.rds.metadata.creationTimestamp) < since) {
    const freeAt = since + deps.timing.settleMs;
    if (deps.clock.now() < freeAt) {
      throw new RetryableError(
        'this process started after the Rds was made and has no journal of the time before',
        {
          code: 'MEMORY_JOURNAL',
          outcome: 'refused',
          retryAfterSeconds: Math.ceil((freeAt - deps.clock.now()) / 1000),
        },
      );
    }
  }
  const { value } = o.password;
  if (value === undefined)
    throw new TerminalError('the root password is not known', { code: 'PASSWORD', outcome: 'refused' });
  return prepareCreate(cloud, o, value);
}

/** Consents are no part of the generation, so they are compared one by one. */
const CONSENTS = [ANNOTATIONS.adopt, ANNOTATIONS.dryRun, ANNOTATIONS.release, ANNOTATIONS.forceDelete];

/** Why the view that was decided on is not the truth any more; undefined when it is. */
async function staleAgainstLive(
  deps: SyncDeps,
  o: Observed,
  write: Claimed | { do: 'adopt' | 'letGo' },
): Promise<string | undefined> {
  const removing = write.do === 'delete' || write.do === 'finalBackup' || write.do === 'letGo';
  const live = await deps.readLive(o.rds, { surroundings: removing }).catch((error: unknown) => {
    if (error instanceof KubeUnreachable) throw new JournalUnavailable(error.message, error);
    throw error;
  });
  const { metadata } = o.rds;
  const now = live.rds;
  if (!now || now.metadata.uid !== metadata.uid) return 'the Rds is gone';
  if (now.metadata.deletionTimestamp !== metadata.deletionTimestamp) return 'the Rds was deleted meanwhile';
  if ((now.metadata.generation ?? 1) !== metadata.generation) return 'the spec was changed meanwhile';
  if (
    write.do === 'restart' &&
    write.annotated !== undefined &&
    annotation(now, ANNOTATIONS.restart) !== write.annotated
  )
    return 'the order was changed meanwhile';
  const changed = CONSENTS.find((key) => annotation(now, key) !== annotation(o.rds, key));
  if (changed) return `the annotation ${changed} was changed meanwhile`;
  if (!removing) return undefined;
  const liveView = {
    spec: fullSpec(now.spec ?? {}),
    namespaceTerminating: live.namespaceTerminating,
    crdTerminating: live.crdTerminating,
  };
  if (effectivePolicy(liveView) !== effectivePolicy(o)) return 'the deletion policy is another one meanwhile';
  return undefined;
}

type Facts = { id?: string; jobId?: string | undefined };

async function write(
  cloud: Cloud,
  wanted: Claimed,
  order: NewInstance | undefined,
  o: Observed,
): Promise<Facts> {
  switch (wanted.do) {
    case 'create':
      if (!order) throw new Error('a create without an order');
      return cloud.createInstance(order);
    case 'finalBackup':
      await cloud.createBackup({
        instanceId: wanted.instanceId,
        name: wanted.name,
        description: 'Final backup by rds-pilot',
      });
      return {};
    case 'delete':
      return { jobId: (await cloud.deleteInstance(wanted.instanceId)).jobId };
    case 'restart':
      return { jobId: (await cloud.restartInstance(wanted.instanceId)).jobId };
    case 'password':
      await cloud.resetPassword(wanted.instanceId, o.password.value ?? '');
      return {};
    case 'enlarge':
      return { jobId: (await cloud.enlargeVolume(wanted.instanceId, wanted.sizeGb)).jobId };
    case 'resize':
      return { jobId: (await cloud.resizeFlavor(wanted.instanceId, wanted.flavor)).jobId };
  }
}

/** Status may only tell an id that the journal has: a lost record leaves the claim open, to be settled by looking. */
async function recordSuccess(
  deps: SyncDeps,
  claimed: HeldJournal,
  wanted: Claimed,
  facts: Facts,
): Promise<ActResult> {
  const { op } = claimed.journal;
  const done = accepted(claimed.journal, wanted.do === 'create' ? facts : { jobId: facts.jobId });
  const next = op ? withResult(done, op) : done;
  const recorded = await deps.journal.swap(claimed, next).catch(() => undefined);
  return recorded
    ? { kind: 'acted', journal: recorded.journal, acted: { kind: wanted.do, result: 'done' } }
    : { kind: 'acted', journal: claimed.journal, acted: { kind: wanted.do, result: 'unknown' } };
}

/** What beside the operation itself is now true. */
function withResult(journal: Journal, op: Op): Journal {
  if (op.kind === 'restart') return restartCarriedOut(journal, op.key);
  return op.kind === 'password' ? { ...journal, password: op.key } : journal;
}

async function recordRefusal(
  deps: SyncDeps,
  o: Observed,
  claimed: HeldJournal,
  kind: OpKind,
  failure: NonNullable<Acted['failure']>,
): Promise<ActResult> {
  const freed = refused(claimed.journal);
  const rejected =
    kind === 'create' && failure.class !== 'retryable' && claimed.journal.op
      ? { rejected: { inputs: createInputs(o), at: claimed.journal.op.at } }
      : {};
  const recorded = await deps.journal.swap(claimed, { ...freed, ...rejected }).catch(() => undefined);
  return recorded
    ? { kind: 'acted', journal: recorded.journal, acted: { kind, result: 'refused', failure } }
    : { kind: 'acted', journal: claimed.journal, acted: { kind, result: 'unknown', failure } };
}

/** Safe to repeat, so no claim: a lost answer is simply tried again. */
async function tag(
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
    return { kind: 'acted', journal: held.journal, acted: { kind: 'tag', result: 'done' } };
  } catch (error) {
    return {
      kind: 'acted',
      journal: held.journal,
      acted: { kind: 'tag', result: 'refused', failure: toFailure(error) },
    };
  }
}

/** Its owner Lease is the gate (protocol C15); a tag of an Rds that still lives in this cluster is one too. */
async function adopt(deps: SyncDeps, { observed, held }: FullView, instanceId: string): Promise<ActResult> {
  if (!held || observed.cloud.kind !== 'fresh') return LOST;
  const because = await staleAgainstLive(deps, observed, { do: 'adopt' });
  if (because !== undefined) return { kind: 'stale', because };
  const { uid } = observed.rds.metadata;
  const tagged = [observed.cloud.instance, ...observed.cloud.namesakes].find((one) => one?.id === instanceId)
    ?.tags[UID_TAG];
  const other = tagged === undefined || tagged === uid ? undefined : await deps.journal.read(tagged);
  const isLiving = other !== undefined && other.journal.closed === undefined;
  if (isLiving || !(await deps.ownerLeases.take(instanceId, uid))) {
    const failure = toFailure(owned(instanceId));
    return { kind: 'acted', journal: held.journal, acted: { kind: 'adopt', result: 'refused', failure } };
  }
  const recorded = await deps.journal.swap(held, { ...held.journal, id: instanceId, adopted: true });
  return recorded
    ? { kind: 'acted', journal: recorded.journal, acted: { kind: 'adopt', result: 'done' } }
    : LOST;
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

async function takeReboot(deps: SyncDeps, { observed, held }: FullView, next: Journal): Promise<ActResult> {
  const { uid, namespace, name } = observed.rds.metadata;
  const { rds } = await deps.readLive(observed.rds, { surroundings: false });
  if (rds?.metadata.uid !== uid || rds.status?.reboot !== true)
    return { kind: 'stale', because: 'the order was answered meanwhile' };
  const taken = held
    ? await deps.journal.swap(held, next)
    : await deps.journal.create(uid, next, { namespace, name });
  return taken ? { kind: 'asDecided' } : LOST;
}

async function forgetReboot(deps: SyncDeps, { observed, held }: FullView): Promise<ActResult> {
  if (!held) return LOST;
  const { rds } = await deps.readLive(observed.rds, { surroundings: false });
  if (rds?.metadata.uid !== observed.rds.metadata.uid || rds.status?.reboot === true)
    return { kind: 'asDecided' };
  const { reboot: _over, ...rest } = held.journal;
  return (await deps.journal.swap(held, rest)) ? { kind: 'asDecided' } : LOST;
}

async function letGo(
  deps: SyncDeps,
  { observed, held, cloud }: FullView,
  action: Extract<Action, { kind: 'letGo' }>,
): Promise<ActResult> {
  if (!held) return LOST;
  const because = action.untag ? await staleAgainstLive(deps, observed, { do: 'letGo' }) : undefined;
  if (because !== undefined) return { kind: 'stale', because };
  try {
    if (action.untag && cloud) await cloud.untagInstance(action.instanceId, [UID_TAG]);
  } catch (error) {
    return {
      kind: 'acted',
      journal: held.journal,
      acted: { kind: 'untag', result: 'refused', failure: toFailure(error) },
    };
  }
  if (action.instanceId !== '') await deps.ownerLeases.drop(action.instanceId, observed.rds.metadata.uid);
  return { kind: 'asDecided' };
}
