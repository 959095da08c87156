// What may reach the cloud, judged by the truth in cloud and cluster at the moment of sending: never by status.

import type { KubeObject } from '../../src/kube/api.ts';
import type { OtcRequest, OtcResponse } from '../../src/otc/send.ts';
import type { Op, OpKind } from '../../src/rds/journal.ts';
import { ANNOTATIONS, finalBackupPrefix, UID_TAG } from '../../src/rds/names.ts';
import type { WorldEvent } from '../../src/simulator/world.ts';
import { HEAL_KEY } from '../../src/sync/decide/autopilot/heal.ts';
import { PENDING_RESTART } from '../../src/sync/decide/changes/parameters.ts';
import { BOOLEAN_ORDER } from '../../src/sync/decide/orders.ts';
import { MINUTE, SECOND } from './clock.ts';
import type { Instance, SimCloud } from './cloud.ts';
import {
  annotationOf,
  type Cluster,
  CRD_NAME,
  digitsOf,
  keyOf,
  projectOf,
  type StoredJournal,
  specOf,
  statusOf,
} from './cluster.ts';
import { createAutopilotOracle } from './oracle-autopilot.ts';
import { createBackupOracle } from './oracle-backups.ts';
import { createDrillOracle, isThrowaway, removalClaim } from './oracle-drills.ts';
import { createRestoreOracle } from './oracle-restores.ts';
import {
  CLAIMED_SITES,
  CREDENTIAL_SITES,
  fitsOf,
  instanceIdOf,
  isBackupSite,
  isWatchSite,
  isWriteSite,
  type OtcSite,
  opsOf,
} from './otc-sites.ts';
import type { Report } from './violation.ts';

/** A call decides on what it reads live and sends a little later: 20 s budget, 12 s pause, slow swaps. */
export const CALL_WINDOW_MS = 40 * SECOND;
const BACKUP_MAX_AGE_MS = 60 * MINUTE + CALL_WINDOW_MS;

/** Calls that clients of the database notice. */
const NOTICED: ReadonlySet<OtcSite> = new Set(['otc resize', 'otc port', 'otc stop', 'otc minor upgrade']);

const DAY_MS = 24 * 60 * MINUTE;

/** Four hours from its start, every day: the specs of this world name no days, or all that count. */
function isOpen(start: string, now: number): boolean {
  const [hours = 0, minutes = 0] = start.split(':').map(Number);
  const sinceOpening = (((now - (hours * 60 + minutes) * MINUTE) % DAY_MS) + DAY_MS) % DAY_MS;
  return sinceOpening < 4 * 60 * MINUTE;
}

/** A claim on a read replica covers no other instance: `100@x1` is its disk or machine, `x1` its removal. */
function replicaIn({ kind, key }: Op): string | undefined {
  if (kind === 'removeReplica') return key;
  return kind === 'enlarge' || kind === 'resize' ? key.split('@')[1] : undefined;
}

export function createCloudOracle(
  cluster: Cluster,
  cloud: SimCloud,
  report: Report,
  broken: ReadonlyMap<string, number>,
) {
  const autopilot = createAutopilotOracle(cluster, cloud, report);
  const sentUnder = new Set<string>();
  let lastClaim = '';
  const restarts = new Map<string, number>();
  const created = new Map<string, number>();
  const drills = createDrillOracle(cluster, cloud, CALL_WINDOW_MS, report);
  const restores = createRestoreOracle(cluster, cloud, CALL_WINDOW_MS, report);
  const backups = createBackupOracle(cluster, cloud, CALL_WINDOW_MS, report);
  let seenEvents = 0;
  let writes = 0;

  const isFree = (object: KubeObject): boolean =>
    specOf(object).paused !== true && annotationOf(object, ANNOTATIONS.dryRun) !== 'true';

  function judgeCreate(request: OtcRequest): void {
    const name = /"name":"([^"]+)"/.exec(request.body ?? '')?.[1] ?? '';
    const uid = cluster.uidOfDigits(name.slice(-12));
    if (uid === undefined) {
      report('foreign-untouched', `create of ${name}, which no Rds asked for`);
      return;
    }
    const stored = cluster.journal(uid);
    if (stored?.journal.op?.kind !== 'create' || stored.journal.op.key !== name) {
      report('claim-before-write', `create of ${name} is sent without an open claim`);
    } else under(stored, 'create');
    const living = cluster.recent(uid, CALL_WINDOW_MS).filter(({ metadata }) => !metadata.deletionTimestamp);
    judgeAccount('otc create', uid, request);
    if (living.length === 0) {
      report('create-only-for-living', `create of ${name}, whose Rds is gone or being deleted`);
    } else if (!living.some(isFree))
      report('create-only-for-living', `create of ${name}, whose Rds is paused`);
  }

  function judgeAccount(site: OtcSite, uid: string, { url }: OtcRequest): void {
    const object = cluster.lastOf(uid);
    if (object && !url.includes(projectOf(object)))
      report('own-account', `${site} for ${keyOf(object)} goes to another account: ${url}`);
  }

  function under(stored: StoredJournal, kind: OpKind): void {
    const claim = `${stored.uid}/${stored.version}/${kind}`;
    if (sentUnder.has(claim))
      report('one-write-per-claim', `${kind} is sent twice under one claim of ${stored.uid}`);
    sentUnder.add(claim);
    lastClaim = claim;
  }

  function claimOn(site: OtcSite, id: string): StoredJournal | undefined {
    const kinds = opsOf(site);
    for (const stored of cluster.journals()) {
      const { journal, uid } = stored;
      if (!journal.op || !kinds.includes(journal.op.kind) || journal.letGo) continue;
      const status = (cluster.lastOf(uid)?.status ?? {}) as { id?: string };
      const replica = replicaIn(journal.op);
      const subject = replica === undefined ? journal.id : journal.replicas?.[replica]?.id;
      if (subject === id || journal.op.key === id || (journal.id === undefined && status.id === id))
        return stored;
    }
    return undefined;
  }

  /** The owner by the truth: whoever made it, or whose journal took it over. */
  function judgeOwner(site: OtcSite, instance: Instance, actor: string | undefined): void {
    const others = [...cluster.journals()].filter(
      ({ uid, journal }) => uid !== actor && journal.id === instance.id && isAlive(uid) && !journal.letGo,
    );
    const maker = cluster.uidOfDigits(instance.name.slice(-12));
    const hasLetGo = maker !== undefined && cluster.journal(maker)?.journal.letGo === true;
    const isMakers = maker !== undefined && maker !== actor && isAlive(maker) && !hasLetGo;
    if (others.length > 0 || isMakers) {
      report('foreign-untouched', `${site} on ${instance.id}, which belongs to another living Rds`);
    }
  }

  const isAlive = (uid: string): boolean => {
    const object = cluster.rdsByUid(uid);
    return object !== undefined && object.metadata.deletionTimestamp === undefined;
  };

  function judgeReplica({ uid, journal }: StoredJournal, instance: Instance): void {
    if (instance.replicaOf === undefined || instance.replicaOf !== journal.id)
      report('foreign-untouched', `${instance.name} is removed as a replica of ${uid}, and is none`);
  }

  function judgeDelete(uid: string, instance: Instance): void {
    const versions = cluster.recent(uid, CALL_WINDOW_MS).filter(({ metadata }) => metadata.deletionTimestamp);
    if (versions.length === 0) {
      report('delete-only-when-deleted', `delete of ${instance.name}, whose Rds is not being deleted`);
      return;
    }
    const problems = versions.map((object) => deleteProblem(object, uid, instance));
    const [first] = problems;
    if (first !== undefined && problems.every((problem) => problem !== undefined)) report(...first);
  }

  function deleteProblem(
    object: KubeObject,
    uid: string,
    instance: Instance,
  ): Parameters<Report> | undefined {
    const { deletionPolicy } = specOf(object);
    const { namespace = '', deletionTimestamp = '' } = object.metadata;
    if (deletionPolicy === 'Delete') return undefined;
    if (deletionPolicy === 'Retain')
      return ['keeps-what-is-retained', `delete of ${instance.name} under Retain`];
    const isGoing =
      cluster.isGoing('Namespace', namespace, CALL_WINDOW_MS) ||
      cluster.isGoing('CustomResourceDefinition', CRD_NAME, CALL_WINDOW_MS);
    if (isGoing)
      return ['keeps-what-is-retained', `delete of ${instance.name} while its namespace or CRD goes`];
    if (annotationOf(object, ANNOTATIONS.forceDelete) === 'true') return undefined;
    const world = cloud.world();
    const now = cloud.now();
    const prefix = finalBackupPrefix(uid, deletionTimestamp);
    const saved = Object.values(world.backups).some(
      (backup) =>
        backup.instanceId === instance.id &&
        backup.name.startsWith(prefix) &&
        backup.status === 'COMPLETED' &&
        now - backup.beginAt <= BACKUP_MAX_AGE_MS,
    );
    return saved
      ? undefined
      : ['backup-before-delete', `delete of ${instance.name} without a completed backup`];
  }

  function judgeChange(site: OtcSite, uid: string, request: OtcRequest): void {
    const versions = cluster.recent(uid, CALL_WINDOW_MS).filter(isFree);
    const body = request.body ?? '';
    judgeWindow(site, uid, versions);
    if (autopilot.isOwn(site, uid, body)) {
      autopilot.judge(site, uid, body, versions);
      return;
    }
    const fits = versions.some((object) => {
      const fits = fitsOf(site);
      if (fits) return fits(specOf(object), body);
      const key = cluster.journal(uid)?.journal.op?.key;
      if (key?.startsWith(HEAL_KEY)) return specOf(object).autopilot?.heal === true;
      return (
        key === PENDING_RESTART || key === BOOLEAN_ORDER || annotationOf(object, ANNOTATIONS.restart) === key
      );
    });
    if (!fits) report('only-what-the-spec-says', `${site} ${body} is not what ${uid} wants or may have now`);
  }

  /** Nobody gives consent in this world, so the window alone counts. */
  function judgeWindow(site: OtcSite, uid: string, versions: readonly KubeObject[]): void {
    const key = cluster.journal(uid)?.journal.op?.key;
    const isOwnIdea = site === 'otc restart' && key === PENDING_RESTART;
    if (!isOwnIdea && !NOTICED.has(site)) return;
    const mayRun = versions.some((object) => {
      const { maintenanceWindow } = specOf(object);
      return maintenanceWindow ? isOpen(maintenanceWindow.start, cloud.now()) : !isOwnIdea;
    });
    if (!mayRun) report('waits-for-the-window', `${site} of ${uid} is sent outside its window`);
  }

  function isDrillRemoval(id: string, instance: Instance | undefined, request: OtcRequest): boolean {
    const stored = removalClaim(cluster, id);
    if (!stored) return false;
    under(stored, 'removeDrill');
    judgeAccount('otc delete', stored.uid, request);
    if (instance) drills.judgeRemoval(stored, instance);
    return true;
  }

  function judgeDrill(request: OtcRequest): void {
    const stored = drills.judgeCreate(request);
    if (!stored) return;
    under(stored, 'drill');
    judgeAccount('otc drill', stored.uid, request);
  }

  function judgeBackupObject(site: OtcSite, request: OtcRequest): void {
    const isOrder = site === 'otc backup order';
    const stored = isOrder ? backups.judgeOrder(request) : backups.judgeDelete(request);
    if (stored) under(stored, isOrder ? 'create' : 'delete');
  }

  function judgeWrite(site: OtcSite, request: OtcRequest): void {
    if (isBackupSite(site)) {
      judgeBackupObject(site, request);
      return;
    }
    if (isWatchSite(site)) {
      autopilot.judgeWatch(site, request);
      return;
    }
    const id = instanceIdOf(request) ?? '';
    const instance = cloud.instance(id);
    if (!CLAIMED_SITES.has(site)) {
      judgeMark(site, id, instance, request);
      return;
    }
    if (site === 'otc delete' && isDrillRemoval(id, instance, request)) return;
    const stored = claimOn(site, id);
    if (!stored) {
      report('claim-before-write', `${site} on ${id} is sent without an open claim`);
      return;
    }
    under(stored, stored.journal.op?.kind ?? 'create');
    judgeAccount(site, stored.uid, request);
    if (!instance) return;
    judgeOwner(site, instance, stored.uid);
    judgeSubject(site, stored, instance, request);
  }

  /** A stopped instance is started for its final backup. */
  function isWakeUp(site: OtcSite, uid: string): boolean {
    const versions = cluster.recent(uid, CALL_WINDOW_MS);
    return (
      site === 'otc start' &&
      versions.some(
        (object) => object.metadata.deletionTimestamp && specOf(object).deletionPolicy === 'Snapshot',
      )
    );
  }

  function judgeSubject(site: OtcSite, stored: StoredJournal, instance: Instance, request: OtcRequest): void {
    const { uid, journal } = stored;
    if (journal.op?.kind === 'removeReplica') judgeReplica(stored, instance);
    else if (site === 'otc delete') judgeDelete(uid, instance);
    else if (journal.op?.kind === 'finalBackup') judgeBackup(uid, instance);
    else if (journal.op?.kind === 'safetyBackup') restores.judgeBackup(uid, instance);
    else if (!isWakeUp(site, uid)) judgeChange(site, uid, request);
    if (journal.op?.kind === 'restore') restores.judgeRestore(uid, instance);
  }

  function judgeBackup(uid: string, instance: Instance): void {
    const isDeleted = cluster.recent(uid, CALL_WINDOW_MS).some(({ metadata }) => metadata.deletionTimestamp);
    if (!isDeleted) report('delete-only-when-deleted', `final backup of ${instance.name} without a deletion`);
  }

  function judgeMark(site: OtcSite, id: string, instance: Instance | undefined, request: OtcRequest): void {
    const owners = [...cluster.journals()].filter(
      ({ journal }) => journal.id === id || journal.drill?.run?.id === id,
    );
    // Whoever let it go has no say any more.
    const owner = owners.find(({ journal }) => !journal.letGo) ?? owners[0];
    const isTold = cluster.allRds().some((one) => (one.status as { id?: string } | undefined)?.id === id);
    if (!owner && !isTold) report('foreign-untouched', `${site} on ${id}, which no journal knows`);
    else if (instance && owner && site === 'otc tag')
      judgeOwner(site, instance, markIn(request) ?? owner.uid);
  }

  /** The UID that a tagging call writes; tags of users name none. */
  function markIn({ body = '' }: OtcRequest): string | undefined {
    const { tags } = JSON.parse(body) as { tags: { key: string; value?: string }[] };
    return tags.find(({ key }) => key === UID_TAG)?.value;
  }

  function happened(event: WorldEvent): void {
    if (event.kind === 'create' && event.name.startsWith('rr-')) judgeReplicas(event.name);
    else if (event.kind === 'create' && isThrowaway(event)) drills.happened(event);
    else if (event.kind === 'create') {
      const digits = event.name.slice(-12);
      const count = (created.get(digits) ?? 0) + 1;
      created.set(digits, count);
      if (count > 1) report('one-instance-per-uid', `instance number ${count} named ${event.name} was made`);
      judgePassword(event);
    }
    if (event.kind === 'restart') judgeRestarts(event.instanceId);
    if (event.kind === 'restore') restores.happened(event);
    if (event.kind === 'backup') backups.happened(event);
  }

  /** One that was removed may be made again, so those that exist together count. */
  function judgeReplicas(name: string): void {
    const alike = Object.values(cloud.world().instances).filter((one) => one.name === name);
    if (alike.length > 1) report('one-replica-per-name', `${alike.length} read replicas are called ${name}`);
  }

  function judgePassword({ instanceId, name }: WorldEvent): void {
    const uid = cluster.uidOfDigits(name.slice(-12));
    const object = uid === undefined ? undefined : cluster.lastOf(uid);
    const instance = cloud.world().instances[instanceId];
    if (!object || !instance) return;
    const wanted = passwordInCluster(cluster, object);
    // A Secret that went with its Rds cannot be compared.
    const owner = cluster.rdsByUid(object.metadata.uid ?? '');
    if (wanted === undefined && (!owner || owner.metadata.deletionTimestamp)) return;
    // One that people changed while the create was on its way reaches the cloud later.
    if (specOf(object).password ?? specOf(object).passwordSecretRef) return;
    if (wanted !== instance.password)
      report('password-matches', `${keyOf(object)} was created with another password`);
  }

  function judgeRestarts(instanceId: string): void {
    const count = (restarts.get(instanceId) ?? 0) + 1;
    restarts.set(instanceId, count);
    const owners = [...cluster.journals()].filter(({ journal }) => journal.id === instanceId);
    const orders = owners.reduce((sum, { uid }) => sum + ordersOf(uid), broken.get(instanceId) ?? 0);
    if (count > orders) {
      report('restart-once-per-order', `${instanceId} was restarted ${count} times for ${orders} orders`);
    }
  }

  /** Every change of the annotation to another value is a new order, and so is every `true` written into status. */
  function ordersOf(uid: string): number {
    const versions = cluster.versionsOf(uid).map(({ object }) => object);
    const values = versions.map((object) => annotationOf(object, ANNOTATIONS.restart));
    const booleans = versions.map((object) => statusOf(object).reboot === true);
    return (
      values.filter((value, index) => value !== undefined && value !== values[index - 1]).length +
      booleans.filter((isOrdered, index) => isOrdered && !booleans[index - 1]).length
    );
  }

  function look(): void {
    const { events } = cloud.world();
    while (seenEvents < events.length) {
      const event = events[seenEvents];
      seenEvents += 1;
      if (event) happened(event);
    }
  }

  return {
    beforeSend(site: OtcSite, request: OtcRequest): void {
      if (!isWriteSite(site) || CREDENTIAL_SITES.has(site)) return;
      look();
      if (site === 'otc drill') judgeDrill(request);
      else if (site === 'otc create') judgeCreate(request);
      else judgeWrite(site, request);
    },
    afterSend(site: OtcSite, _request: OtcRequest, response: OtcResponse | undefined): void {
      if (isWriteSite(site)) writes += 1;
      // A 401 is a definite no: the client renews its token and sends the same write once more.
      if (response?.status === 401) sentUnder.delete(lastClaim);
      look();
    },
    look,
    judgeLeftBackups: backups.judgeLeft,
    writes: () => writes,
    createdFor: (uid: string): number => created.get(digitsOf(uid)) ?? 0,
  };
}

/** It is told that the password goes to the cloud later, in the window say: until then nobody can log in for us. */
export const rootPasswordWaits = (object: KubeObject): boolean =>
  statusOf(object).plan?.some(({ field }) => field === 'root password') === true;

/** The password that the cluster shows for an Rds, wherever it comes from. */
export function passwordInCluster(cluster: Cluster, object: KubeObject): string | undefined {
  const { password, passwordSecretRef } = specOf(object);
  const { namespace = '', name } = object.metadata;
  if (password !== undefined) return password;
  const ref = passwordSecretRef ?? { name: `${name}-root`, key: 'password' };
  return cluster.secretValue(namespace, ref.name, ref.key);
}
