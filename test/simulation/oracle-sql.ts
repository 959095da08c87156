// SQL Jobs, judged by the servers they worked on: only what is declared, once per wish, and a published password is
// one that works.

import type { KubeObject } from '../../src/kube/api.ts';
import type { WatchEvent } from '../../src/local/watch.ts';
import { findCondition } from '../../src/rds/conditions.ts';
import { isSqlJob, jobEnd, PART, SQL_PART, USER_PART } from '../../src/rds/job-state.ts';
import { ANNOTATIONS, userSecretName } from '../../src/rds/names.ts';
import { accountHost, accountLabel, type SqlEngine, type SqlWish } from '../../src/rds/sql-wish.ts';
import { MINUTE } from './clock.ts';
import type { Instance } from './cloud.ts';
import { annotationOf, type Cluster, keyOf, secretValue, specOf, statusOf } from './cluster.ts';
import { CALL_WINDOW_MS, passwordInCluster, rootPasswordWaits } from './oracle-cloud.ts';
import { rightsOf, type Server, type SqlServers } from './sql-servers.ts';
import type { Report } from './violation.ts';

/** A call takes 24 s at most, and Metacontroller applies what it was told within some more. */
const ANSWER_WINDOW_MS = CALL_WINDOW_MS + MINUTE;

export function createSqlOracle(cluster: Cluster, servers: SqlServers, report: Report) {
  /** Jobs in the order in which they were made, by Rds. */
  const made = new Map<string, string[]>();
  /** The password that each Secret told last. */
  const published = new Map<string, string>();
  /** Job -> generation of its Rds when it was made. */
  const madeFor = new Map<string, number | undefined>();

  const ownerOf = ({ metadata }: KubeObject): string => metadata.ownerReferences?.[0]?.uid ?? '';
  const keyIn = (job: string): string => job.slice(0, job.lastIndexOf('-'));

  /** Metacontroller applies Secrets and Jobs in any order; whichever comes, the wish is in the Secret. */
  function judgeWish(secret: KubeObject): void {
    const uid = ownerOf(secret);
    const wish = JSON.parse(secretValue(secret, 'wish.json') ?? '') as SqlWish;
    const versions = cluster
      .recent(uid, ANSWER_WINDOW_MS)
      .filter(
        (object) => specOf(object).paused !== true && annotationOf(object, ANNOTATIONS.dryRun) !== 'true',
      );
    if (wish.drop.databases.length + wish.drop.users.length === 0)
      judgeRepeat(uid, secret.metadata.name, versions);
    const isDeclared = versions.some((object) => fits(object, wish));
    if (!isDeclared)
      report('only-what-the-spec-says', `${secret.metadata.name} asks for ${JSON.stringify(wish)}`);
  }

  function fits(object: KubeObject, { databases, users, drop, engine }: SqlWish): boolean {
    const { databases: declared = [], users: named = [], removal } = specOf(object);
    const accounts = named.map((user) => accountLabel(engine, user));
    const isSame =
      JSON.stringify([...new Set(declared)]) === JSON.stringify(databases) &&
      users.every((user) => accounts.includes(accountLabel(engine, user)));
    if (!isSame) return false;
    const drops = drop.databases.length + drop.users.length > 0;
    return (
      (!drops || removal === 'Drop') &&
      !drop.databases.some((name) => declared.includes(name)) &&
      !drop.users.some((user) => accounts.includes(accountLabel(engine, user)))
    );
  }

  function judgeStart(job: KubeObject): void {
    const uid = ownerOf(job);
    const { name } = job.metadata;
    made.set(uid, [...(made.get(uid) ?? []), name]);
    madeFor.set(name, cluster.rdsByUid(uid)?.metadata.generation);
  }

  function judgeRepeat(uid: string, name: string, versions: readonly KubeObject[]): void {
    const last = made.get(uid)?.at(-1);
    // A Job of another wish was made since, and may have undone what the recorded one did.
    if (last !== undefined && keyIn(last) !== keyIn(name)) return;
    const isDone = (object: KubeObject) => {
      const { job: record } = statusOf(object).databases ?? {};
      return record?.state === 'Succeeded' && keyIn(record.name) === keyIn(name);
    };
    if (versions.length > 0 && versions.every(isDone))
      report('one-job-per-wish', `${name} is made, and status says that its wish has come true`);
  }

  function judgeDrop(job: KubeObject): void {
    const uid = ownerOf(job);
    const { name } = job.metadata;
    const owner = cluster.rdsByUid(uid);
    if (!jobEnd(job as Parameters<typeof jobEnd>[0]) || !owner || owner.metadata.deletionTimestamp) return;
    const jobs = made.get(uid) ?? [];
    const isLastWish = jobs.slice(jobs.lastIndexOf(name)).every((other) => keyIn(other) === keyIn(name));
    const isRecorded = cluster
      .versionsOf(uid)
      .some(({ object }) => statusOf(object).databases?.job?.name === name);
    // Every new spec is a new wish.
    const isUnwished =
      cluster.recent(uid, ANSWER_WINDOW_MS).length > 1 || madeFor.get(name) !== owner.metadata.generation;
    if (isLastWish && !isRecorded && !isUnwished)
      report('job-recorded-before-dropped', `${name} is gone, and status never told its end`);
  }

  /** `given`: the password that people gave; undefined where one is drawn. */
  function userIn(object: KubeObject, account: string): { given: string | undefined } | undefined {
    const { datastoretype, users = [] } = specOf(object);
    const user = users.find((one) => accountLabel(datastoretype as SqlEngine, one) === account);
    const { name = '', key = '' } = user?.passwordSecretRef ?? {};
    const inSecret = cluster.secretValue(object.metadata.namespace ?? '', name, key);
    return user && { given: user.password ?? (user.passwordSecretRef && (inSecret ?? '')) };
  }

  /** A drawn password has to be kept before it is used; a given one is published after the server has it. */
  function judgePublished(secret: KubeObject): void {
    const password = secretValue(secret, 'password') ?? '';
    const isTouched = published.get(keyOf(secret)) === password;
    published.set(keyOf(secret), password);
    // Marks for others, beside a password that was judged when it came.
    if (isTouched) return;
    const owner = cluster.lastOf(ownerOf(secret));
    const account = secret.metadata.annotations?.[ANNOTATIONS.account] ?? '';
    const instanceId = owner && cluster.journal(owner.metadata.uid ?? '')?.journal.id;
    if (!owner || instanceId === undefined) return;
    const given = userIn(owner, account)?.given;
    if (given === undefined) return;
    const former = cluster.recent(ownerOf(secret), ANSWER_WINDOW_MS).map((object) => userIn(object, account));
    // Drawn for a spec that gave none, and was edited while the answer was on its way.
    if (password !== given && former.some((user) => user && user.given === undefined)) return;
    const ever = servers.serverOf({ id: instanceId }).passwords.get(account);
    if (!ever?.has(password))
      report('user-password-works', `${keyOf(secret)} tells a password that ${account} never had`);
  }

  cluster.onEvent((event: WatchEvent) => {
    const { type, object } = event;
    if (object.kind === 'Job' && isSqlJob(object as Parameters<typeof isSqlJob>[0])) {
      if (type === 'ADDED') judgeStart(object);
      if (type === 'DELETED') judgeDrop(object);
    }
    if (object.kind !== 'Secret' || type === 'DELETED') return;
    const part = object.metadata.labels?.[PART];
    if (part === SQL_PART && type === 'ADDED') judgeWish(object);
    if (part === USER_PART) judgePublished(object);
  });
}

/** What is declared and not so on the server, or not told; undefined when all is well. */
export function sqlProblem(
  cluster: Cluster,
  servers: SqlServers,
  object: KubeObject,
  instance: Instance,
): string | undefined {
  const { databases = [], users = [], stopped } = specOf(object);
  if ((databases.length === 0 && users.length === 0) || stopped) return undefined;
  const ready = findCondition(statusOf(object).conditions, 'DatabasesReady');
  // The password of an adopted instance is what people say it is.
  const isAdopted = cluster.journal(object.metadata.uid ?? '')?.journal.adopted;
  // Also while it is tried once more.
  const told = [ready?.message ?? '', ...(statusOf(object).databases?.failures ?? []).map(({ why }) => why)];
  const isShut = ready?.reason === 'RootPasswordUnknown' || told.some((text) => /Access denied/.test(text));
  // A Job that never came up has not heard it yet.
  const isWrong = ready?.status === 'False' && passwordInCluster(cluster, object) !== instance.password;
  if (isAdopted && (isShut || isWrong)) return undefined;
  if (rootPasswordWaits(object) && ready?.reason === 'DatabasesWaiting') return undefined;
  if (ready?.status !== 'True') return `DatabasesReady is not True: ${ready?.message}`;
  const server = servers.serverOf(instance);
  const missing = databases.find((name) => !server.databases.has(name));
  if (missing !== undefined) return `there is no database ${missing}`;
  const problems = users.map((user) => userProblem(cluster, server, object, user));
  return problems.find((problem) => problem !== undefined);
}

type User = NonNullable<ReturnType<typeof specOf>['users']>[number];

function userProblem(cluster: Cluster, server: Server, object: KubeObject, user: User): string | undefined {
  const { namespace = '', name } = object.metadata;
  const account = accountLabel(specOf(object).datastoretype as SqlEngine, user);
  const made = server.users.get(account);
  const secretName = userSecretName(name, user.name, accountHost(user));
  const told = cluster.secretValue(namespace, secretName, 'password');
  if (!made) return `there is no user ${account}`;
  if (made.password !== told) return `${secretName} does not hold the password of ${account}`;
  if (user.password !== undefined && user.password !== told) return `${account} has another password`;
  const isRight = user.grants === undefined || made.grants === rightsOf(user.grants);
  return isRight ? undefined : `${account} has the rights ${made.grants}`;
}
