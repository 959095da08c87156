// Plays the Job controller and the nodes: every Job gets a pod that works, fails, dies, is late or never comes. The
// containers of a log Job really run, on the credential that they mount and over the same wire as everybody.

import type { Clock } from '../../src/clock.ts';
import { readArguments } from '../../src/jobs/logs/arguments.ts';
import { runLogJob } from '../../src/jobs/logs/run.ts';
import type { KubeObject } from '../../src/kube/api.ts';
import type { Send } from '../../src/otc/send.ts';
import { DRILL_CONTAINER, type DrillReport, isDrillChild } from '../../src/rds/drill-wish.ts';
import { PART, SQL_CONTAINER, SQL_PART } from '../../src/rds/job-state.ts';
import { type LogReport, writeLogReport } from '../../src/rds/log-report.ts';
import { connectionSecretName, rootSecretName } from '../../src/rds/names.ts';
import type { SqlWish } from '../../src/rds/sql-wish.ts';
import { SECOND } from './clock.ts';
import { type Cluster, secretValue } from './cluster.ts';
import type { Decision, Decisions } from './decisions.ts';
import type { History } from './history.ts';
import { createMortal, type Mortal } from './mortal.ts';
import { type Chance, createSequence } from './random.ts';
import type { SqlServers } from './sql-servers.ts';
import type { Report } from './violation.ts';

/** `untold`: nobody ever writes down that the Job is over. */
export const POD_SITES = {
  'pod logs': ['never', 'late', 'killed', 'untold'],
  'pod sql': ['never', 'late', 'killed', 'killed-after', 'refused'],
  'pod drill': ['never', 'late', 'killed', 'refused'],
} as const satisfies Record<string, readonly string[]>;

export type PodDeps = {
  cluster: Cluster;
  clock: Clock;
  chance: Chance;
  decisions: Decisions;
  history: History | undefined;
  servers: SqlServers;
  wire: (mortal: Mortal) => Send;
  report: Report;
  tellsNothing(text: string, where: string): void;
};

type Container = { name: string; args?: string[] };
type JobSpec = {
  activeDeadlineSeconds: number;
  template: { spec: { containers: Container[] } };
};

/** What becomes of a pod: its last words by container, or nothing at all. */
type Ending = { succeeded: boolean; reason: string; messages: Record<string, string> };

const KILLED: Ending = { succeeded: false, reason: 'BackoffLimitExceeded', messages: {} };
const DEADLINE: Ending = { succeeded: false, reason: 'DeadlineExceeded', messages: {} };

const START_MS = 6 * SECOND;
const LATE_MS = 200 * SECOND;
const WORK_MS = 15 * SECOND;
/** Between the removal of a Job and the end of its pod. */
const COLLECT_MS = 5 * SECOND;
/** A pod that is told to stop gets time to revoke its token. */
const GRACE_MS = 30 * SECOND;

export function startPods(deps: PodDeps): void {
  const { cluster, clock, chance, decisions, history, servers } = deps;
  const removals = new Map<string, () => void>();
  let born = 0;

  const setStatus = (job: KubeObject, status: unknown) =>
    cluster.call(
      'PATCH',
      `/apis/batch/v1/namespaces/${job.metadata.namespace}/jobs/${job.metadata.name}/status`,
      { status },
      'application/merge-patch+json',
    );

  async function leavePod(job: KubeObject, containerStatuses: unknown[]): Promise<void> {
    const { name, namespace = '', uid = '' } = job.metadata;
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const pod = `${name}-${uid.slice(0, 5)}`;
    const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name, uid, controller: true }];
    const metadata = { name: pod, namespace, labels: { 'job-name': name }, ownerReferences };
    await cluster.call('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata });
    const status = { containerStatuses };
    await cluster.call('PATCH', `${pods}/${pod}/status`, { status }, 'application/merge-patch+json');
  }

  async function tellEnd(job: KubeObject, { succeeded, reason, messages }: Ending): Promise<void> {
    const { name, namespace = '', uid = '' } = job.metadata;
    if (cluster.find('Job', namespace, name)?.metadata.uid !== uid) return;
    const containerStatuses = Object.entries(messages).map(([container, message]) => ({
      name: container,
      state: { terminated: { exitCode: succeeded ? 0 : 1, message } },
    }));
    if (containerStatuses.length > 0) await leavePod(job, containerStatuses);
    const lastTransitionTime = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
    const end = { type: succeeded ? 'Complete' : 'Failed', status: 'True', reason, lastTransitionTime };
    await setStatus(job, { active: 0, ready: 0, conditions: [end] });
    history?.note(`Job ${name} ends: ${reason}`);
  }

  /** A kubelet waits for what it has to mount. */
  async function mounted(
    job: KubeObject,
    name: string,
    isOver: () => boolean,
  ): Promise<KubeObject | undefined> {
    for (; !isOver(); await clock.sleep(5 * SECOND)) {
      const secret = cluster.find('Secret', job.metadata.namespace ?? '', name);
      if (secret) return secret;
    }
    return undefined;
  }

  async function runLogs(job: KubeObject, mortal: Mortal, onStop: (stop: (why: string) => void) => void) {
    const { name } = job.metadata;
    const secret = await mounted(job, name, () => !mortal.isAlive);
    if (!secret) return mortal.never<Ending>();
    const one = (container: Container): Promise<LogReport> =>
      runLogJob({
        args: readArguments([container.name, ...(container.args ?? [])]),
        credential: secretValue(secret, container.name) ?? '',
        send: deps.wire(mortal),
        clock: { ...clock, sleep: (ms) => mortal.lives(clock.sleep(ms)) },
        random: createSequence(born),
        print: async (line) => deps.tellsNothing(line, `the output of ${name}`),
        tell: (line) => deps.tellsNothing(line, `the output of ${name}`),
        onStop,
      });
    const reports = await Promise.all(containersOf(job).map(one));
    const succeeded = reports.every(({ exitCode }) => exitCode === 0);
    const messages = Object.fromEntries(reports.map((report) => [report.log, writeLogReport(report)]));
    return { succeeded, reason: succeeded ? 'CompletionsReached' : 'BackoffLimitExceeded', messages };
  }

  async function runSql(job: KubeObject, mortal: Mortal, decision: Decision | undefined): Promise<Ending> {
    const { name, ownerReferences } = job.metadata;
    const isOver = () => !mortal.isAlive;
    const files = await mounted(job, name, isOver);
    const login = await mounted(job, connectionSecretName(ownerReferences?.[0]?.name ?? ''), isOver);
    if (!files || !login) return mortal.never();
    // Where the login of the connection Secret takes turns, the one of root comes from its own Secret.
    const isRoot = secretValue(files, 'username') !== undefined;
    const root = isRoot
      ? await mounted(job, rootSecretName(ownerReferences?.[0]?.name ?? ''), isOver)
      : undefined;
    const rootPassword = root && secretValue(root, 'password');
    await mortal.lives(clock.sleep(chance.below(`${name} work`, WORK_MS)));
    const report = servers.carryOut(
      JSON.parse(secretValue(files, 'wish.json') ?? '') as SqlWish,
      (file) => secretValue(files, file) ?? '',
      { ip: secretValue(login, 'ip') ?? '', password: rootPassword ?? secretValue(login, 'password') ?? '' },
      decision?.kind === 'refused',
    );
    history?.note(`Job ${name} did its work: ${JSON.stringify(report)}`);
    if (decision?.kind === 'killed-after') return KILLED;
    const succeeded = report.fatal === undefined && report.failures.length === 0;
    const reason = report.failures.length > 0 ? 'PodFailurePolicy' : 'BackoffLimitExceeded';
    const messages = { [SQL_CONTAINER]: JSON.stringify(report) };
    return { succeeded, reason: succeeded ? 'CompletionsReached' : reason, messages };
  }

  /** Logs in to the throwaway with what its Secret says. */
  async function runDrill(job: KubeObject, mortal: Mortal, decision: Decision | undefined): Promise<Ending> {
    const { name } = job.metadata;
    const secret = await mounted(job, name, () => !mortal.isAlive);
    if (!secret) return mortal.never();
    await mortal.lives(clock.sleep(chance.below(`${name} work`, WORK_MS)));
    const login = { ip: secretValue(secret, 'ip') ?? '', password: secretValue(secret, 'password') ?? '' };
    const fatal = servers.whyDenied(login);
    const failed = decision?.kind === 'refused' ? [{ check: 1, why: 'the query gave no row' }] : [];
    const said: DrillReport = {
      ...(fatal === undefined ? {} : { fatal }),
      passed: 1 - failed.length,
      failed,
    };
    const succeeded = fatal === undefined && failed.length === 0;
    const reason = succeeded ? 'CompletionsReached' : 'PodFailurePolicy';
    return { succeeded, reason, messages: { [DRILL_CONTAINER]: JSON.stringify(said) } };
  }

  async function live(job: KubeObject): Promise<void> {
    const { name, uid = '' } = job.metadata;
    const isSql = job.metadata.labels?.[PART] === SQL_PART;
    const isDrill = isDrillChild(job);
    const site = isDrill ? 'pod drill' : isSql ? 'pod sql' : 'pod logs';
    const runShort = isDrill ? runDrill : runSql;
    const decision = decisions.at(site, POD_SITES[site]);
    history?.note(`Job ${name} is made${decision ? ` [${decision.kind}]` : ''}`);
    born += 1;
    const mortal = createMortal(`pod ${born}`, () => {});
    const stops: ((because: string) => void)[] = [];
    const removed = Promise.withResolvers<void>();
    removals.set(uid, removed.resolve);
    const deadlineMs = (job.spec as JobSpec).activeDeadlineSeconds * SECOND;

    async function work(): Promise<Ending> {
      if (decision?.kind === 'never') return mortal.never();
      const most = decision?.kind === 'late' ? LATE_MS : START_MS;
      await mortal.lives(clock.sleep(500 + chance.below(`${name} start`, most)));
      await setStatus(job, { active: 1, ready: 1 });
      if (decision?.kind === 'killed') {
        void clock.sleep(chance.below(`${name} killed`, 2 * SECOND)).then(() => mortal.kill());
        void (isSql || isDrill ? runShort(job, mortal, undefined) : runLogs(job, mortal, () => {})).catch(
          () => {},
        );
        return KILLED;
      }
      return isSql || isDrill
        ? runShort(job, mortal, decision)
        : runLogs(job, mortal, (stop) => void stops.push(stop));
    }

    const over = clock.sleep(deadlineMs).then(() => DEADLINE);
    const gone = removed.promise.then(async (): Promise<undefined> => {
      await clock.sleep(chance.below(`${name} collected`, COLLECT_MS));
    });
    const dead = mortal.orDies(mortal.never<Ending>()).catch((): Ending => KILLED);
    const ending = await Promise.race([work(), over, gone, dead]);
    // Told to stop; then ended, ready or not.
    for (const stop of stops) stop('The pod was stopped');
    void clock.sleep(isSql || isDrill ? 0 : GRACE_MS).then(() => mortal.kill());
    if (ending && decision?.kind !== 'untold') await tellEnd(job, ending);
  }

  cluster.onEvent(({ type, object }) => {
    if (object.kind !== 'Job') return;
    const uid = object.metadata.uid ?? '';
    if (type === 'ADDED')
      live(object).catch((error: Error) => deps.report('no-bug', `${object.metadata.name}: ${error.stack}`));
    if (type === 'DELETED') removals.get(uid)?.();
  });
}

const containersOf = (job: KubeObject): Container[] => (job.spec as JobSpec).template.spec.containers;
