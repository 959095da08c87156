// Rotation as its clients see it: what is published works, what was published works on for the grace time, and a period
// has one rotation.

import type { KubeObject } from '../../src/kube/api.ts';
import { findCondition } from '../../src/rds/conditions.ts';
import { PART, USER_PART } from '../../src/rds/job-state.ts';
import { ANNOTATIONS, secondLogin } from '../../src/rds/names.ts';
import { graceMs, hoursMs, ROOT_ACCOUNT, type Rotation } from '../../src/rds/rotation.ts';
import { accountLabel } from '../../src/rds/sql-wish.ts';
import { HOUR_MS, SECOND } from './clock.ts';
import { annotationOf, type Cluster, journalIn, keyOf, secretValue, specOf, statusOf } from './cluster.ts';
import { rootPasswordWaits } from './oracle-cloud.ts';
import type { LoginChange, SqlServers } from './sql-servers.ts';
import type { Report } from './violation.ts';

/** Stamps have seconds, and a period is counted from the publication. */
const TOLERANCE_MS = 5 * SECOND;

type Published = { uid: string; username: string; password: string; replacedAt?: number };

export function createLoginOracle(
  cluster: Cluster,
  servers: SqlServers,
  rootPassword: (uid: string) => string | undefined,
  now: () => number,
  report: Report,
): void {
  /** By Secret: what it holds, and what it held. */
  const history = new Map<string, Published[]>();

  const rotationOf = (uid: string, account: string): Rotation | undefined =>
    cluster.journal(uid)?.journal.rotations?.[account];

  function graceOf(uid: string): number {
    const object = cluster.lastOf(uid);
    return graceMs(object && specOf(object).rotationGrace, HOUR_MS);
  }

  function judgeSecret(secret: KubeObject): void {
    const uid = secret.metadata.ownerReferences?.[0]?.uid ?? '';
    const account = secret.metadata.annotations?.[ANNOTATIONS.account] ?? ROOT_ACCOUNT;
    const [username = '', password = ''] = ['username', 'password'].map((key) => secretValue(secret, key));
    const past = history.get(keyOf(secret)) ?? [];
    const last = past.at(-1);
    if (last?.username === username && last.password === password) return;
    if (last) last.replacedAt ??= now();
    // One that comes back for a moment has had its time.
    const before = past.find((one) => one.username === username && one.password === password);
    past.push({ ...before, uid, username, password });
    history.set(keyOf(secret), past);
    // A first password is kept before it is used; from then on only what works is published.
    const works =
      username === 'root'
        ? rootPassword(uid) === password
        : servers.letsIn(instanceOf(cluster, uid), username, password);
    if (rotationOf(uid, account) && !works)
      report('logins-work', `${keyOf(secret)} publishes ${username}, which the server does not let in`);
  }

  /** By UID: a Job may still carry out what was declared when it was made. */
  const declared = new Map<string, Set<string>>();

  function noteUsers(object: KubeObject): void {
    const { uid = '' } = object.metadata;
    const logins = declared.get(uid) ?? new Set<string>();
    for (const one of specOf(object).users ?? [])
      logins.add(one.name).add(secondLogin(accountLabel('MySQL', one), one.name));
    declared.set(uid, logins);
  }

  function judgeName(uid: string, login: string): void {
    const users = declared.get(uid) ?? new Set<string>();
    const administrators = ['first', 'second'].map((slot) => secondLogin(`${uid}/${slot}`, 'admin'));
    if (users.size > 0 && !users.has(login) && !administrators.includes(login))
      report('two-logins', `${login} is no login of a declared user`);
  }

  /** Whoever read a Secret a moment ago, or within the grace time, must get in. */
  function judgeChange({ instanceId, login, before, after }: LoginChange): void {
    const uid = [...cluster.journals()].find(({ journal }) => journal.id === instanceId)?.uid;
    if (uid === undefined) return;
    judgeName(uid, login);
    const hasRotation = Object.keys(cluster.journal(uid)?.journal.rotations ?? {}).length > 0;
    const isTaken = before?.isOpen === true && !(after.isOpen && after.password === before.password);
    if (!hasRotation || !isTaken) return;
    const published = [...history.values()].flat().filter((one) => one.uid === uid && one.username === login);
    for (const { password, replacedAt } of published) {
      const until = (replacedAt ?? Number.POSITIVE_INFINITY) + graceOf(uid) - TOLERANCE_MS;
      if (password === before.password && now() < until)
        report('logins-work', `${login} was taken away from clients that may still use it`);
    }
  }

  const knownRoots = new Map<string, string | undefined>();

  /** A reset by the cloud takes root away from whoever got it within the grace time. */
  function judgeRoot(): void {
    for (const uid of cluster.uids()) {
      const before = knownRoots.get(uid);
      const after = rootPassword(uid);
      if (before === after) continue;
      knownRoots.set(uid, after);
      if (before !== undefined && after !== undefined) judgeReset(uid, before);
    }
  }

  function judgeReset(uid: string, before: string): void {
    if (!rotationOf(uid, ROOT_ACCOUNT)) return;
    for (const published of [...history.values()].flat()) {
      const { username, password, replacedAt = Number.POSITIVE_INFINITY } = published;
      const isTaken = published.uid === uid && username === 'root' && password === before;
      if (isTaken && now() < replacedAt + graceOf(uid) - TOLERANCE_MS)
        report('logins-work', 'the password of root was replaced while clients may still use it');
    }
  }

  function judgeJournal(object: KubeObject): void {
    const uid = object.metadata.name.slice('rds-'.length);
    const rotations = journalIn(object)?.rotations;
    if (!rotations) return;
    for (const [account, after] of Object.entries(rotations)) {
      const before = rotationOf(uid, account);
      if (!before || after.number === before.number) continue;
      const every = periodOf(cluster.lastOf(uid) ?? object, account);
      const isEarly = now() < before.since + every - TOLERANCE_MS;
      if (after.number !== before.number + 1 || isEarly)
        report(
          'one-rotation-per-period',
          `${account} went from rotation ${before.number} to ${after.number}`,
        );
    }
  }

  cluster.onEvent(({ type, object }) => {
    if (type === 'DELETED') return;
    if (object.kind === 'Rds') noteUsers(object);
    if (object.kind === 'Lease') judgeJournal(object);
    if (isLogin(object)) judgeSecret(object);
    judgeRoot();
  });
  servers.onLogin(judgeChange);
}

function periodOf(object: KubeObject, account: string): number {
  const { users = [], rootRotateEvery } = specOf(object);
  const user = users.find((one) => accountLabel('MySQL', one) === account);
  const wanted = account === ROOT_ACCOUNT ? rootRotateEvery : user?.rotateEvery;
  return wanted === undefined ? 0 : hoursMs(wanted, HOUR_MS);
}

const instanceOf = (cluster: Cluster, uid: string): string | undefined => cluster.journal(uid)?.journal.id;

const isLogin = ({ kind, metadata }: KubeObject): boolean =>
  kind === 'Secret' && (metadata.labels?.[PART] === USER_PART || /^[^-]+-connection$/.test(metadata.name));

/** None is under way, and the copies in status are those of the journal. */
function rotationProblem(cluster: Cluster, object: KubeObject): string | undefined {
  const { logins = [] } = statusOf(object);
  const { rotations = {} } = cluster.journal(object.metadata.uid ?? '')?.journal ?? {};
  for (const [account, { state, number }] of Object.entries(rotations)) {
    const told = logins.find(({ user }) => user === account);
    if (state !== 'Idle') return `the rotation of ${account} is ${state}`;
    if (told?.state !== state || told.number !== number)
      return `rotation ${number} of ${account} is over, told is ${told?.state} of ${told?.number}`;
  }
  return undefined;
}

/** When all is over: nothing is under way, and the published login works. */
export function loginProblem(cluster: Cluster, servers: SqlServers, object: KubeObject): string | undefined {
  const { uid = '', namespace = '' } = object.metadata;
  const rotating = rotationProblem(cluster, object);
  if (rotating !== undefined) return rotating;
  // Told: the password of an adopted instance is what people say it is.
  const ready = findCondition(statusOf(object).conditions, 'DatabasesReady');
  if (ready?.status !== 'True' && cluster.journal(uid)?.journal.adopted) return undefined;
  // Told as well: nobody can be let in where nothing runs, or before root's password is known.
  const waits = specOf(object).stopped || rootPasswordWaits(object);
  if (waits && ready?.reason === 'DatabasesWaiting') return undefined;
  const declared = new Set((specOf(object).users ?? []).map((user) => accountLabel('MySQL', user)));
  for (const secret of cluster.secretsOf(namespace, uid)) {
    if (!isLogin(secret) || secretValue(secret, 'username') === 'root') continue;
    // A password that was drawn for a user that is declared no more may never have reached the server.
    const account = annotationOf(secret, ANNOTATIONS.account);
    if (account !== undefined && !declared.has(account)) continue;
    const [username = '', password = ''] = ['username', 'password'].map((key) => secretValue(secret, key));
    if (!servers.letsIn(instanceOf(cluster, uid), username, password))
      return `${username} of ${keyOf(secret)} is not let in`;
  }
  return undefined;
}
