// When faults have stopped: has every Rds become what its spec says, or does a true condition say why not?

import type { KubeObject } from '../../src/kube/api.ts';
import { findCondition } from '../../src/rds/conditions.ts';
import type { Journal } from '../../src/rds/journal.ts';
import { ANNOTATIONS, drillName, UID_TAG } from '../../src/rds/names.ts';
import type { Scale } from '../../src/rds/scale.ts';
import { REGION } from '../../src/simulator/demo-account.ts';
import { engines } from '../../src/simulator/rds/engines.ts';
import { findFlavor } from '../../src/simulator/rds/flavors.ts';
import { type Instance, NETWORKS, type SimCloud } from './cloud.ts';
import { annotationOf, type Cluster, keyOf, projectOf, specOf, statusOf } from './cluster.ts';
import { alarmProblem, hasLostAccount } from './oracle-autopilot.ts';
import { passwordInCluster, rootPasswordWaits } from './oracle-cloud.ts';
import { logsProblem } from './oracle-credentials.ts';
import { loginProblem } from './oracle-logins.ts';
import { sqlProblem } from './oracle-sql.ts';
import type { SqlServers } from './sql-servers.ts';
import type { Report } from './violation.ts';

export type Facts = {
  cluster: Cluster;
  cloud: SimCloud;
  servers: SqlServers;
  /** No replica's own clock is wrong. */
  clocksAgree: () => boolean;
  /** Instances that people removed or made. */
  removedByHand: ReadonlySet<string>;
  foreign: ReadonlySet<string>;
};

/** What is still missing; undefined when all is as it should be. */
export function unfinished(facts: Facts): string | undefined {
  for (const object of facts.cluster.allRds()) {
    const problem = object.metadata.deletionTimestamp
      ? deletionProblem(facts, object)
      : problemOf(facts, object);
    if (problem !== undefined) return `${keyOf(object)}: ${problem}`;
  }
  return undefined;
}

/** A throwaway that the cloud never finishes cannot be removed: only told. */
function hasStuckDrill({ cluster, cloud }: Facts, { metadata }: KubeObject): boolean {
  const id = cluster.journal(metadata.uid ?? '')?.journal.drill?.run?.id;
  const throwaway = id === undefined ? undefined : cloud.instance(id);
  return throwaway?.status === 'BUILD' && isStuck(cloud, throwaway);
}

function drillProblem(facts: Facts, object: KubeObject): string | undefined {
  const run = facts.cluster.journal(object.metadata.uid ?? '')?.journal.drill?.run;
  if (!run || hasStuckDrill(facts, object)) return undefined;
  return `a drill is not over (${JSON.stringify(run)})`;
}

function deletionProblem(facts: Facts, object: KubeObject): string | undefined {
  const { cluster, cloud } = facts;
  const id = cluster.journal(object.metadata.uid ?? '')?.journal.id;
  const instance = id === undefined ? undefined : cloud.instance(id);
  // The database itself does not wait for it.
  if (!instance && hasStuckDrill(facts, object)) return undefined;
  const reason = findCondition(statusOf(object).conditions, 'Progressing')?.reason;
  if (reason === 'CredentialsInvalid' && hasLostAccount(cluster, object)) return undefined;
  // A build that never ends cannot be deleted, and one that failed cannot be backed up: only told.
  if (instance?.status === 'BUILD' && isStuck(cloud, instance) && reason === 'Busy') return undefined;
  // The same of a backup that never ends.
  const isSaving = instance !== undefined && isBackingUp(cloud, instance);
  if (isSaving && (reason === 'Busy' || reason === 'FinalBackup')) return undefined;
  const isBroken = instance?.status === 'CREATE FAIL' || instance?.status === 'FAILED';
  if (isBroken && reason === 'FinalBackupFailed') return undefined;
  // The credentials of a tenant went with the namespace: told, and a person has to bring them back.
  const { namespace = '' } = object.metadata;
  if (reason === 'CredentialsInvalid' && cluster.isGoing('Namespace', namespace, 0)) return undefined;
  return `the delete does not end (${reason})`;
}

function problemOf(facts: Facts, object: KubeObject): string | undefined {
  const { cluster, cloud } = facts;
  const status = statusOf(object);
  const synced = findCondition(status.conditions, 'Synced')?.reason ?? 'none';
  const ready = findCondition(status.conditions, 'Ready')?.reason ?? 'none';
  const held = specOf(object).paused ? 'Paused' : isDryRun(object) ? 'DryRun' : undefined;
  if (held) return synced === held ? undefined : `${held}, but Synced says ${synced}`;
  const journal = cluster.journal(object.metadata.uid ?? '')?.journal;
  const instance = journal?.id === undefined ? undefined : cloud.instance(journal.id);
  if (!journal || !instance) return excuse(facts, object, { ready, synced });
  const told = brokenState(facts, object.metadata.uid ?? '', instance, ready);
  if (journal.op && !isBackingUp(cloud, instance)) return `${journal.op.kind} ${journal.op.key} is open`;
  // The throwaway of a drill is another instance.
  if (told === 'told') return drillProblem(facts, object);
  return told ?? workingProblem(facts, object, instance, journal);
}

/** The instance is there and works. */
const workingProblem = (
  facts: Facts,
  object: KubeObject,
  instance: Instance,
  journal: Journal,
): string | undefined =>
  orderProblem(object, journal) ??
  difference(object, instance, journal.scale) ??
  alarmProblem(facts.cloud, object, isLeftOut(object)) ??
  replicaProblem(facts, object) ??
  drillProblem(facts, object) ??
  childProblem(facts, object, instance) ??
  logsProblem(facts, object) ??
  sqlProblem(facts.cluster, facts.servers, object, instance) ??
  loginProblem(facts.cluster, facts.servers, object);

const isDryRun = (object: KubeObject): boolean => annotationOf(object, ANNOTATIONS.dryRun) === 'true';

/** States that nothing but a person can end: enough when the condition tells them. */
function brokenState(facts: Facts, uid: string, instance: Instance, ready: string): string | undefined {
  if (instance.status === 'BUILD') {
    return isStuck(facts.cloud, instance) && ready === 'Creating' ? 'told' : `builds, Ready says ${ready}`;
  }
  if (instance.status === 'BACKING UP')
    return isStuck(facts.cloud, instance) && (ready === 'Busy' || ready === 'Available')
      ? 'told'
      : `backs up, Ready says ${ready}`;
  if (instance.status === 'CREATE FAIL')
    return ready === 'CreateFailed' ? 'told' : `failed, Ready says ${ready}`;
  // A restore in place that the cloud could not do.
  if (instance.status === 'FAILED')
    return ready === 'InstanceFailed' ? 'told' : `FAILED, Ready says ${ready}`;
  if (ready !== 'ForeignInstance') return undefined;
  return isTakenByOther(facts, uid, instance) ? 'told' : 'ForeignInstance, but it is ours';
}

/** For ever: nothing else can be done to it. */
const isBackingUp = (cloud: SimCloud, instance: Instance): boolean =>
  instance.status === 'BACKING UP' && isStuck(cloud, instance);

/** A build or backup that will never end. */
function isStuck(cloud: SimCloud, { id }: Instance): boolean {
  return !cloud.world().pending.some((due) => due.kind === 'effect' && due.instanceId === id);
}

/** No instance: only true reasons count. */
function excuse(
  facts: Facts,
  object: KubeObject,
  { ready, synced }: { ready: string; synced: string },
): string | undefined {
  const { cluster, removedByHand, cloud } = facts;
  const id = cluster.journal(object.metadata.uid ?? '')?.journal.id;
  if (id !== undefined && removedByHand.has(id) && ready === 'InstanceGone') return undefined;
  const { namespace, name } = object.metadata;
  const namesake = Object.values(cloud.world().instances).some(
    (instance) =>
      instance.name === `${namespace}_${name}` || instance.name.startsWith(`${namespace}_${name}_`),
  );
  if (synced === 'AdoptionNeeded' && (namesake || adoptsNothing(object, cloud))) return undefined;
  if (isHeldByOther(facts, object) && ['ForeignInstance', 'Busy', 'CloudRefused'].includes(synced))
    return undefined;
  // Nobody can take over what the cloud never finishes: only told.
  const adopted = cloud.instance(annotationOf(object, ANNOTATIONS.adopt) ?? '');
  const isBusy = adopted?.status === 'BUILD' || adopted?.status === 'BACKING UP';
  if (synced === 'Busy' && isBusy && isStuck(cloud, adopted)) return undefined;
  const told = findCondition(statusOf(object).conditions, 'Synced')?.message ?? '';
  if (lacksWhatIsTold(facts, object, synced)) return undefined;
  const isRefused = synced === 'CloudRefused' || synced === 'UnknownFlavor';
  if (isRefused && unusableFields(facts, object).some((field) => told.includes(`spec.${field}: `)))
    return undefined;
  return `there is no instance (Ready ${ready}, Synced ${synced}: ${told})`;
}

/** Fields of the spec that name what the cloud of these schedules does not have: nothing can be created with them. */
function unknownFields(object: KubeObject): string[] {
  const { region, datastoretype, datastoreversion, flavorref, securitygroup } = specOf(object);
  const facts = engines.find(({ engine }) => engine === datastoretype);
  const isKnown: Record<string, boolean> = {
    region: region === REGION,
    datastoreversion: facts?.versions.includes(datastoreversion) ?? false,
    flavorref: findFlavor(flavorref) !== undefined,
    securitygroup: NETWORKS.includes(securitygroup),
  };
  return Object.keys(isKnown).filter((field) => !isKnown[field]);
}

/** Fields with which nothing can be created here. */
const unusableFields = (facts: Facts, object: KubeObject): string[] => [
  ...unknownFields(object),
  ...(hasSource(facts, object) ? [] : ['restoreFrom.backup']),
];

const lacksWhatIsTold = (facts: Facts, object: KubeObject, reason: string): boolean =>
  (reason === 'CredentialsInvalid' && !hasCredentials(facts, object)) ||
  (reason === 'RestoreSourceMissing' && !hasSource(facts, object));

/** A Secret that went with its namespace does not come back with an Rds of the same name. */
function hasCredentials({ cluster }: Facts, object: KubeObject): boolean {
  const { name } = specOf(object).credentialsSecretRef ?? {};
  return name === undefined || cluster.find('Secret', object.metadata.namespace ?? '', name) !== undefined;
}

/** Whether the data that it is to begin with can be had. */
function hasSource({ cluster, cloud }: Facts, object: KubeObject): boolean {
  const { backup: name = '' } = specOf(object).restoreFrom ?? {};
  const backup = cluster.find('RdsBackup', object.metadata.namespace ?? '', name);
  const id = cluster.journal(backup?.metadata.uid ?? '')?.journal.id ?? '';
  const { status, projectId } = cloud.world().backups[id] ?? {};
  return status === 'COMPLETED' && projectId === projectOf(object);
}

/** Consent to an instance that does not exist in this account, or not any more. */
const adoptsNothing = (object: KubeObject, cloud: Facts['cloud']): boolean => {
  const wanted = annotationOf(object, ANNOTATIONS.adopt);
  const instance = wanted === undefined ? undefined : cloud.instance(wanted);
  return wanted !== undefined && instance?.projectId !== projectOf(object);
};

/** Consent to an instance of another Rds, which has not let it go: once it has, it must be taken over. */
function isHeldByOther({ cluster, cloud }: Facts, object: KubeObject): boolean {
  const instance = cloud.instance(annotationOf(object, ANNOTATIONS.adopt) ?? '');
  if (!instance || adoptsNothing(object, cloud)) return false;
  const maker = cluster.uidOfDigits(instance.name.slice(-12));
  const isHolder = (uid: string): boolean =>
    uid !== object.metadata.uid &&
    cluster.rdsByUid(uid) !== undefined &&
    !cluster.journal(uid)?.journal.letGo;
  const owners = [...cluster.journals()].filter(({ journal }) => journal.id === instance.id);
  return [...owners.map(({ uid }) => uid), ...(maker === undefined ? [] : [maker])].some(isHolder);
}

function isTakenByOther({ cluster }: Facts, uid: string, instance: Instance): boolean {
  return [...cluster.journals()].some((one) => one.uid !== uid && one.journal.id === instance.id);
}

/** Orders that the journal still has, whatever status says of them. */
function orderProblem(object: KubeObject, journal: Journal): string | undefined {
  const order = annotationOf(object, ANNOTATIONS.restart);
  const isHandled = order === undefined || journal.handled?.[ANNOTATIONS.restart] === order;
  if (!isHandled && !specOf(object).stopped) return `the restart ${order} was not handled`;
  if (journal.reboot === 'ordered') return 'a restart ordered by status was not carried out';
  return journal.logsOrdered === 'ordered' ? 'logs ordered by status were not read' : undefined;
}

/** What the autopilot chose over this very spec, or what the spec says. */
function wantedFlavor(object: KubeObject, scale: Scale | undefined): string {
  const { flavorref } = specOf(object);
  return scale?.flavor?.over === flavorref ? scale.flavor.to : flavorref;
}

function difference(object: KubeObject, instance: Instance, scale: Scale | undefined): string | undefined {
  const spec = specOf(object);
  const status = statusOf(object);
  const tag = instance.tags.find(({ key }) => key === UID_TAG)?.value;
  const order = annotationOf(object, ANNOTATIONS.restart);
  const isLeft = isLeftOut(object);
  // It runs on until its window opens.
  const isStopped = spec.stopped === true && !(isLeft && instance.status === 'ACTIVE');
  const checks: [boolean, string][] = [
    [instance.operation === undefined, `the cloud is still at work: ${instance.operation?.kind}`],
    [instance.status === (isStopped ? 'SHUTDOWN' : 'ACTIVE'), `the instance is ${instance.status}`],
    [
      instance.volumeGb >= spec.volumesize || isLeft,
      `the disk has ${instance.volumeGb} GB, wanted are ${spec.volumesize}`,
    ],
    [
      instance.flavor === wantedFlavor(object, scale) || isLeft || !isAskedFor(object, 'flavorref'),
      `the flavor is ${instance.flavor}, wanted is ${spec.flavorref}`,
    ],
    [tag === object.metadata.uid, `the tag is ${tag}`],
    [status.id === instance.id, `status.id is ${status.id}`],
    [status.phase === (isStopped ? 'Stopped' : 'Ready'), `the phase is ${status.phase}`],
    [status.flavor === instance.flavor, `status.flavor is ${status.flavor}`],
    [status.volumeGb === instance.volumeGb, `status.volumeGb is ${status.volumeGb}`],
    [status.ip === instance.ip, `status.ip is ${status.ip}`],
    [conditionIs(object, 'Ready', isStopped ? 'False' : 'True'), 'Ready is wrong'],
    [
      conditionIs(object, 'Synced', 'True') || isLeft || isRestoreRefused(object),
      `Synced is not True: ${findCondition(status.conditions, 'Synced')?.message}`,
    ],
    [conditionIs(object, 'Progressing', 'False'), 'Progressing is not False'],
    [
      order === undefined ||
        status.handled?.[ANNOTATIONS.restart] === order ||
        (spec.stopped === true && findCondition(status.conditions, 'Progressing')?.reason === 'Stopped'),
      `the restart ${order} was not handled`,
    ],
  ];
  return checks.find(([holds]) => !holds)?.[1];
}

/** Taken out of the spec it is a default again, and a default is no wish to change anything. */
function isAskedFor({ metadata: { managedFields = [] } }: KubeObject, field: string): boolean {
  return managedFields.some(({ operation, fieldsV1 }) => {
    const spec = fieldsV1?.['f:spec'] as Record<string, unknown> | undefined;
    return operation === 'Apply' && spec?.[`f:${field}`] !== undefined;
  });
}

function replicaProblem({ cloud }: Facts, object: KubeObject): string | undefined {
  const { replicas: told = [], plan = [] } = statusOf(object);
  const isRefused = (name: string) =>
    plan.some(({ field, when }) => field === `spec.readReplicas[${name}]` && /^refused/.test(when));
  for (const { name } of specOf(object).readReplicas ?? []) {
    if (isRefused(name)) continue;
    const { id = '', status } = told.find((one) => one.name === name) ?? {};
    const replica = cloud.instance(id);
    if (replica?.status !== 'ACTIVE') return `the replica ${name} is ${replica?.status}`;
    if (status !== replica.status) return `the replica ${name} is ${replica.status}, told is ${status}`;
  }
  return undefined;
}

/** It is told and holds up nothing: all else must be as the spec says. */
function isRestoreRefused(object: KubeObject): boolean {
  const reason = findCondition(statusOf(object).conditions, 'Synced')?.reason;
  return reason === 'RestoreRefused' && specOf(object).backuprestoretime !== undefined;
}

/** What differs is told, and why it stays so. */
function isLeftOut(object: KubeObject): boolean {
  const { plan = [] } = statusOf(object);
  const isTold = ({ when }: { when: string }) =>
    /^(refused|in the maintenance window|with the next restart)/.test(when) ||
    (specOf(object).stopped === true && when === 'when the instance is started again');
  return plan.length > 0 && plan.every(isTold);
}

function conditionIs(object: KubeObject, type: 'Ready' | 'Synced' | 'Progressing', status: string): boolean {
  return findCondition(statusOf(object).conditions, type)?.status === status;
}

function childProblem({ cluster }: Facts, object: KubeObject, instance: Instance): string | undefined {
  const { namespace = '', name, uid = '' } = object.metadata;
  if (!cluster.find('Service', namespace, name)) return 'the Service is missing';
  if (!cluster.find('EndpointSlice', namespace, name)) return 'the EndpointSlice is missing';
  if (cluster.journal(uid)?.journal.adopted) return undefined;
  const password = passwordInCluster(cluster, object);
  const told = cluster.secretValue(namespace, `${name}-connection`, 'password');
  const isRoot = cluster.secretValue(namespace, `${name}-connection`, 'username') === 'root';
  if (isRoot && told !== instance.password)
    return 'the connection Secret does not hold the password of the cloud';
  const isSame = password === instance.password || (isLeftOut(object) && rootPasswordWaits(object));
  return isSame ? undefined : 'the password of the Rds is not the one of the cloud';
}

/** Every instance has an Rds that knows it, or was meant to stay. */
export function judgeOrphans(
  { cluster, cloud, foreign }: Facts,
  retained: ReadonlySet<string>,
  report: Report,
): void {
  const owned = new Set(
    [...cluster.journals()].flatMap(({ uid, journal }) => (cluster.rdsByUid(uid) ? (journal.id ?? []) : [])),
  );
  const drilled = new Set(
    [...cluster.journals()].flatMap(({ uid, journal: { drill } }) =>
      drill?.run && cluster.rdsByUid(uid) ? [drill.run.id ?? '', drillName(uid, drill.run.slot)] : [],
    ),
  );
  for (const instance of Object.values(cloud.world().instances)) {
    const maker = cluster.uidOfDigits(instance.name.slice(-12));
    // Held back by dry-run or paused, an Rds may not have written down yet what it made.
    const isMakerAlive = maker !== undefined && cluster.rdsByUid(maker) !== undefined;
    const isReplica = instance.replicaOf !== undefined && owned.has(instance.replicaOf);
    const isDrill = drilled.has(instance.id) || drilled.has(instance.name);
    const isKnown = isDrill || owned.has(instance.id) || isReplica || isMakerAlive;
    if (isKnown || foreign.has(instance.id) || retained.has(instance.id)) continue;
    report('no-orphan', `${instance.name} (${instance.id}, ${instance.status}) has no Rds that knows it`);
  }
}
