// From nothing to a claimed create (protocol C1-C5). Each call makes one step, so that a crash between any two
// leaves something that the next call understands.

import type { Instance } from '../../otc/cloud.ts';
import { absenceCountsFrom, absenceProven, countAbsence, type Journal, refused } from '../../rds/journal.ts';
import { ANNOTATIONS, instanceName, nameKind, rootSecretName } from '../../rds/names.ts';
import { annotation } from '../../rds/object.ts';
import { passwordProblem } from '../../rds/passwords.ts';
import type { Reason } from '../../rds/reasons.ts';
import { operation } from './describe.ts';
import { stateOf } from './instance-state.ts';
import type { Observed } from './observed.ts';
import { type Action, NOTHING, PACE, type Verdict } from './plan.ts';
import { knownRestores } from './restore-in-place.ts';
import { progressing, ready, synced, until } from './words.ts';

type FreshView = Extract<Observed['cloud'], { kind: 'fresh' }>;

export function creation(o: Observed): Verdict {
  if (o.cloud.kind !== 'fresh') return pending(o, { kind: 'lookCloser' }, 'Preparing', 'Looking.');
  const journal = o.journal === 'none' ? undefined : (o.journal as Journal);
  const verdict = nextStep(o, o.cloud, journal);
  // That there is no journal may be a wrong answer: nothing is told without an id before one could be opened.
  const losesNothing = journal !== undefined || o.rds.status?.id !== undefined;
  return losesNothing || verdict.action.kind !== 'none'
    ? verdict
    : { ...verdict, action: { kind: 'openJournal', journal: {} } };
}

function nextStep(o: Observed, cloud: FreshView, journal: Journal | undefined): Verdict {
  // A create on the way is settled first: its instance would be left without an owner.
  const consented = journal?.op ? undefined : adoption(o, cloud, journal);
  if (consented) return consented;
  const found = foundByName(o, cloud, journal);
  if (found) return found;
  if (journal?.op?.kind === 'create') return openCreate(o, cloud.at, journal);
  const unfit = notFit(o);
  if (unfit) return unfit;
  return firstCreate(o, cloud.at, journal);
}

function pending(
  o: Observed,
  action: Action,
  reason: Reason,
  message: string,
  pace: number = PACE.soon,
): Verdict {
  const { namespace, name, uid } = o.rds.metadata;
  const plan = {
    field: 'spec',
    from: 'nothing',
    to: instanceName(namespace, name, uid),
    impact: 'newServer' as const,
    when: 'now',
  };
  return {
    action,
    phase: 'Pending',
    conditions: [ready('False', reason, message), synced('False', reason, message)],
    status: { plan: [plan], operation: operation(o) },
    resyncAfterSeconds: pace,
  };
}

/** An id that the old operator left in status, or consent by annotation. */
function adoption(o: Observed, cloud: FreshView, journal: Journal | undefined): Verdict | undefined {
  const consent = annotation(o.rds, ANNOTATIONS.adopt);
  const wanted = consent ?? o.rds.status?.id;
  if (wanted === undefined) return undefined;
  const instance =
    cloud.instance?.id === wanted ? cloud.instance : cloud.namesakes.find(({ id }) => id === wanted);
  if (!instance) {
    if (consent === undefined) return lostOldInstance(o, wanted);
    return pending(
      o,
      NOTHING,
      'AdoptionNeeded',
      `No instance ${wanted}, named in the annotation ${ANNOTATIONS.adopt}, exists in this project.`,
      PACE.settled,
    );
  }
  const state = stateOf(instance);
  if (state.transitional) {
    return pending(
      o,
      NOTHING,
      'Busy',
      `Instance ${instance.id} is taken over when the cloud has finished: ${state.sentence}`,
      PACE.waiting,
    );
  }
  const message = `Taking over instance ${instance.id} (${instance.name}).`;
  if (!journal) return pending(o, { kind: 'openJournal', journal: {} }, 'Preparing', message);
  return pending(o, { kind: 'adopt', instanceId: instance.id }, 'Preparing', message);
}

/** status.id points at nothing: never answered with an empty second database. */
function lostOldInstance(o: Observed, id: string): Verdict {
  const message = `Instance ${id}, known from status, is not listed in this project. Nothing is created in its place: check the credentials and the project, or delete this Rds and apply it again.`;
  return {
    action: NOTHING,
    phase: o.rds.status?.phase ?? 'Failed',
    conditions: [ready('Unknown', 'InstanceMissing', message), synced('False', 'InstanceMissing', message)],
    resyncAfterSeconds: PACE.settled,
  };
}

function foundByName(o: Observed, cloud: FreshView, journal: Journal | undefined): Verdict | undefined {
  const { namespace, name, uid } = o.rds.metadata;
  const kindOf = (instance: Instance) => nameKind(instance.name, namespace, name, uid);
  const ours = cloud.namesakes.filter((instance) => kindOf(instance) === 'ours');
  const [first, second] = ours;
  if (first && second) {
    const ids = ours
      .map(({ id }) => id)
      .sort()
      .join(', ');
    return pending(
      o,
      NOTHING,
      'DuplicateInstances',
      `Instances ${ids} all carry the name ${first.name}. Nothing is touched: find out which one has the data and remove the other.`,
      PACE.settled,
    );
  }
  if (first) {
    if (!journal)
      return pending(o, { kind: 'openJournal', journal: {} }, 'Preparing', 'Found the instance again.');
    const { op: _settled, absence: _over, ...rest } = journal;
    const last = journal.op ? { last: journal.op } : {};
    const found = pending(
      o,
      // Without a create of ours this journal is younger than the instance, and does not know its past.
      {
        kind: 'swapJournal',
        journal: { ...rest, ...last, id: first.id, ...(journal.op ? {} : knownRestores(o, rest)) },
      },
      'Creating',
      `Found instance ${first.id}.`,
    );
    return { ...found, phase: 'Creating' };
  }
  // The cloud lists in any order; the words must not change with it.
  const [foreign, ...others] = cloud.namesakes
    .filter((instance) => kindOf(instance) === 'old' || kindOf(instance) === 'otherUid')
    .toSorted((a, b) => a.id.localeCompare(b.id));
  // While a create is on the way its own outcome comes first.
  if (!foreign || journal?.op) return undefined;
  return pending(
    o,
    NOTHING,
    'AdoptionNeeded',
    `Instance ${foreign.id} (${foreign.name}, ${foreign.engine} ${foreign.version}, ${foreign.flavor}, ${foreign.volumeGb} GB) already exists for ${namespace}/${name}. ` +
      `Take it over with: kubectl annotate rds ${name} -n ${namespace} ${ANNOTATIONS.adopt}=${foreign.id}. ` +
      `${others.length > 0 ? `Or take another: ${others.map(({ id }) => id).join(', ')}. ` : ''}Nothing was created.`,
    PACE.settled,
  );
}

/** A create was claimed and no instance is in sight: look until it must have shown itself, never repeat before. */
function openCreate(o: Observed, at: number, journal: Journal): Verdict {
  if (absenceProven(journal, at, o.timing)) {
    const unfit = notFit(o);
    if (unfit) return { ...unfit, action: { kind: 'swapJournal', journal: refused(journal) } };
    return claimCreate(o, at, 'The last create left no instance; creating again.');
  }
  const counted = countAbsence(journal, at, o.timing);
  const settled = (journal.createClaimedAt ?? at) + o.timing.settleMs;
  const message = `The answer to the create was lost. The operator looks for ${instanceName(o.rds.metadata.namespace, o.rds.metadata.name, o.rds.metadata.uid)} and creates again only when it is certain that there is none, not before ${until(settled + 2 * o.timing.absenceGapMs)}.`;
  const waitMs = absenceCountsFrom(counted ?? journal, o.timing) - at;
  const pace = Math.min(Math.max(waitMs / 1000, PACE.soon), PACE.waiting);
  const action: Action = counted ? { kind: 'swapJournal', journal: counted } : NOTHING;
  const verdict = pending(o, action, 'CreateOutcomeUnknown', message, pace);
  return { ...verdict, phase: 'Creating' };
}

/** What must be right before anything is claimed. */
function notFit(o: Observed): Verdict | undefined {
  const { restoreSource } = o;
  if (restoreSource && 'missing' in restoreSource) {
    const message = `${restoreSource.missing}. No empty database is created in its place.`;
    return pending(o, NOTHING, 'RestoreSourceMissing', message, PACE.settled);
  }
  const { password } = o;
  if ('missing' in password)
    return pending(o, NOTHING, 'PasswordSecretMissing', password.missing, PACE.settled);
  if (password.value === undefined) return undefined;
  const problem = passwordProblem(password.value, o.spec.datastoretype);
  if (!problem) return undefined;
  const source =
    password.from === 'spec' ? 'spec.password' : `the password in Secret ${o.spec.passwordSecretRef?.name}`;
  return pending(o, NOTHING, 'InvalidPassword', `${source} ${problem}. Nothing was created.`, PACE.settled);
}

/** What a create is made from: a refused one is tried again when this changes, and else only now and then. */
export function createInputs(o: Observed): string {
  const secret = 'version' in o.password ? o.password.version : '';
  return `${o.rds.metadata.generation}/${secret}`;
}

const REJECTED_AGAIN_MS = 10 * 60_000;

function stillRejected(o: Observed, at: number, journal: Journal | undefined): Verdict | undefined {
  const rejected = journal?.rejected;
  if (!rejected || rejected.inputs !== createInputs(o) || at >= rejected.at + REJECTED_AGAIN_MS)
    return undefined;
  // The conditions of the refusal stand.
  return { action: NOTHING, phase: 'Pending', conditions: [], resyncAfterSeconds: PACE.slow };
}

function firstCreate(o: Observed, at: number, journal: Journal | undefined): Verdict {
  const rejected = stillRejected(o, at, journal);
  if (rejected) return rejected;
  const drawn = drawRoot(o, at, journal);
  if (drawn) return drawn;
  // The journal is made by an earlier call than the first claim.
  if (!journal)
    return pending(o, { kind: 'openJournal', journal: {} }, 'Preparing', 'The create is being prepared.');
  return claimCreate(o, at, 'The instance is being ordered.');
}

/**
 * A generated password exists as a Secret before the create, and only the drawing that the journal names
 * counts: two replicas that both draw cannot end with one password in the Secret and another in the cloud.
 */
function drawRoot(o: Observed, at: number, journal: Journal | undefined): Verdict | undefined {
  if (o.password.from !== 'generated') return undefined;
  const { draw } = journal ?? {};
  if (draw && o.password.mark === draw.mark) return undefined;
  if (draw && at < draw.at + o.timing.settleMs) {
    return pending(
      o,
      NOTHING,
      'Preparing',
      'Waiting until the Secret with the generated root password can be seen.',
      // Its coming calls us; one that is lost is waited out for the whole settle time.
      PACE.transition,
    );
  }
  // A drawing that cannot be published would be lost, and the next one waits for the settle time.
  const name = rootSecretName(o.rds.metadata.name);
  const taken = o.foreign.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
  if (taken) {
    const isFormer = taken.metadata.ownerReferences?.some(({ kind }) => kind === 'Rds') === true;
    const message = isFormer
      ? `Secret ${name} of an earlier Rds of this name is still there; the cluster removes it, then the create goes on.`
      : `Secret ${name} exists and is not of this Rds; the generated root password needs its name.`;
    return pending(o, NOTHING, 'ChildNameTaken', message, PACE.transition);
  }
  const next: Journal = { ...journal, draw: { mark: o.draw().mark, at } };
  const action: Action = journal
    ? { kind: 'swapJournal', journal: next }
    : { kind: 'openJournal', journal: next };
  return { ...pending(o, action, 'Preparing', 'A root password is being generated.'), drawRoot: true };
}

function claimCreate(o: Observed, at: number, message: string): Verdict {
  const { namespace, name, uid } = o.rds.metadata;
  const verdict = pending(
    o,
    {
      kind: 'claim',
      op: { kind: 'create', key: instanceName(namespace, name, uid), at },
      write: { do: 'create' },
    },
    'Preparing',
    message,
  );
  return { ...verdict, conditions: [...verdict.conditions, progressing('True', 'Preparing', message)] };
}
