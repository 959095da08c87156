// The whole world of one schedule: replicas of the real hook code, cloud, cluster and Metacontroller on one virtual
// clock and one seed, watched by the oracles.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { KubeObject } from '../../src/kube/api.ts';
import { createLaggingWatch, type LaggingWatch } from '../../src/local/lagging-watch.ts';
import { createMetacontroller, type Metacontroller } from '../../src/local/metacontroller.ts';
import type { ResourceRef } from '../../src/local/resources.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createBackupKeepers } from './backup-people.ts';
import { createCallRate } from './call-rate.ts';
import { createSimulationClock, SECOND, START } from './clock.ts';
import { createSimCloud, type Lags } from './cloud.ts';
import { createCluster } from './cluster.ts';
import { type Choose, createDecisions } from './decisions.ts';
import { createHistory } from './history.ts';
import { createHookCall } from './hook-call.ts';
import { createKubeWire } from './kube-wire.ts';
import { createMortal } from './mortal.ts';
import { createAnswerOracle } from './oracle-answers.ts';
import { createCloudOracle } from './oracle-cloud.ts';
import { createClusterOracle } from './oracle-cluster.ts';
import { createCredentialOracle } from './oracle-credentials.ts';
import type { Facts } from './oracle-end.ts';
import { createLoginOracle } from './oracle-logins.ts';
import { createShareOracle } from './oracle-sharing.ts';
import { createSqlOracle } from './oracle-sql.ts';
import { createOtcWire } from './otc-wire.ts';
import { createPeople } from './people.ts';
import { startPods } from './pods.ts';
import { createChance, createSequence } from './random.ts';
import { createReplica, type Replica } from './replica.ts';
import { createSharers } from './share-people.ts';
import { createSqlServers } from './sql-servers.ts';
import type { Report, Violation } from './violation.ts';
import { createWeather } from './weather.ts';

export const WATCH_SITES = {
  'watch parents': ['lag-short', 'lag-long'],
  'watch children': ['lag-short', 'lag-long'],
  'watch namespaces': ['lag-short', 'lag-long'],
} as const satisfies Record<string, readonly string[]>;

const LAG_MS: Record<string, number> = { 'lag-short': 3 * SECOND, 'lag-long': 50 * SECOND };

const manifest = (name: string): KubeObject =>
  parse(readFileSync(new URL(`../../metacontroller/${name}.yaml`, import.meta.url), 'utf8'));
const controller = manifest('controller');
const decorator = manifest('decorator-share');
const backupController = manifest('controller-rdsbackup');

export const PARENTS: ResourceRef = { apiVersion: 'otc.mcsps.de/v1alpha1', resource: 'rdss' };
export const BACKUPS: ResourceRef = { apiVersion: 'otc.mcsps.de/v1alpha1', resource: 'rdsbackups' };
export const SECRETS: ResourceRef = { apiVersion: 'v1', resource: 'secrets' };
export const NAMESPACES: ResourceRef = { apiVersion: 'v1', resource: 'namespaces' };
/** Metacontroller comes back after a minute, when the list of instances is too old for an answer to stand. */
const CALLED_AGAIN_MS = 20 * SECOND;
const ASKING_NAMESPACES = ['app-1', 'app-2'];

export type WorldOptions = {
  seed: number;
  choose: Choose;
  without?: ReadonlySet<string>;
  replicas: number;
  /** With the DecoratorController of shared Secrets, and namespaces that may ask. */
  shares?: boolean;
  /** With the CompositeController of backups as objects. */
  backsUp?: boolean;
  /** Answers that stand are given again, and judged. */
  stands?: boolean;
  lags: Lags;
  /** Keep every line of the history, for a story. */
  keepLines?: boolean;
};

type Loop = { loop: Metacontroller; watch: LaggingWatch };
type Leader = Loop & { sharing?: Loop; backups?: Loop };

export type World = Awaited<ReturnType<typeof createWorld>>;

export async function createWorld(options: WorldOptions) {
  const { seed } = options;
  // Stack traces are for readers; without them every refusal costs a tenth.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = options.keepLines ? 30 : 0;
  const clock = createSimulationClock();
  const chance = createChance(seed);
  const history = options.keepLines ? createHistory(clock.now, START) : undefined;
  const decisions = createDecisions({
    choose: options.choose,
    now: clock.now,
    ...(options.without ? { without: options.without } : {}),
  });
  const uid = seededUids(seed);
  const cluster = createCluster(clock, uid);
  const cloud = createSimCloud(clock, seed, options.lags);
  const people = createPeople(cluster, cloud);
  const violations: Violation[] = [];
  const report: Report = (invariant, message) => {
    if (violations.length < 20) violations.push({ invariant, message, at: clock.now() });
    history?.note(`VIOLATION ${invariant}: ${message}`);
  };

  const clusterOracle = createClusterOracle(cluster, cloud, report);
  const cloudOracle = createCloudOracle(cluster, cloud, report, people.broken);
  const servers = createSqlServers(cloud);
  const credentials = createCredentialOracle(cluster, cloud, report);
  createSqlOracle(cluster, servers, report);
  const rootPassword = (id: string) => cloud.instance(cluster.journal(id)?.journal.id ?? '')?.password;
  createLoginOracle(cluster, servers, rootPassword, clock.now, report);
  const { tellsNothing } = clusterOracle;
  const sharers = createSharers(cluster);
  const keepers = createBackupKeepers(cluster, cloud);
  const isLiedTo = (withinMs: number) =>
    decisions.fired.some(
      ({ site, kind, at }) => site === 'kube live rds' && kind === '404' && at >= clock.now() - withinMs,
    );
  const rate = createCallRate(clock.now, report);
  const sharing = options.shares
    ? createShareOracle({ cluster, sharers, now: clock.now, history, report, tellsNothing, isLiedTo, rate })
    : undefined;
  const answers = createAnswerOracle({
    cluster,
    now: clock.now,
    history,
    report,
    tellsNothing,
    rate,
  });

  const weather = createWeather(chance, clock.now, () => decisions.isOver);
  const wires = { clock, chance, decisions, history, weather };
  const otcWire = createOtcWire({
    ...wires,
    cloud,
    report,
    beforeSend(site, request) {
      credentials.beforeSend(site, request);
      cloudOracle.beforeSend(site, request);
    },
    afterSend(site, request, response) {
      credentials.afterSend(site, response);
      cloudOracle.afterSend(site, request, response);
    },
    received: credentials.received,
  });
  const kubeWire = createKubeWire({ ...wires, report, call: cluster.quickCall });

  startPods({ ...wires, cluster, servers, wire: otcWire, report, tellsNothing });

  let born = 0;
  let hookCalls = 0;
  const replicas: Replica[] = [];

  const began: typeof answers.began = (...call) => {
    const ended = answers.began(...call);
    return (response, answer, isHeard) => {
      if (answer && isHeard) credentials.handedOver(answer.children as KubeObject[]);
      ended(response, answer);
    };
  };

  function startReplica(slot: number): void {
    born += 1;
    const name = `replica-${slot + 1}.${born}`;
    const mortal = createMortal(name, () => {
      history?.note(`${name} dies`);
      startReplica(slot);
    });
    replicas[slot] = createReplica({
      clock,
      mortal,
      send: otcWire(mortal),
      kube: kubeWire.forHook(mortal),
      random: createSequence(seed * 31 + born),
      uid,
      stands: options.stands === true,
      watcher: {
        called: () => {
          hookCalls += 1;
        },
        began,
        sharing: (...call) => sharing?.began(...call) ?? (() => {}),
        logged: (text) => tellsNothing(text, 'a line of the log'),
        stoodWrongly: (words) => report('answer-stands', words),
      },
    });
  }
  for (let slot = 0; slot < options.replicas; slot += 1) startReplica(slot);

  const hookCall = createHookCall({
    ...wires,
    replica: (name) => replicas[chance.below(name, replicas.length)],
  });

  let shuffles = 0;
  const shuffle = <T>(items: T[]): T[] => {
    shuffles += 1;
    return items.length > 1 && chance.of(`shuffle ${shuffles}`) < 0.5 ? [...items].reverse() : items;
  };

  let leaders: Leader[] = [];

  function siteOfWatch({ resource }: ResourceRef): keyof typeof WATCH_SITES {
    if (resource === 'rdss' || resource === 'rdsbackups') return 'watch parents';
    return options.shares && resource === 'namespaces' ? 'watch namespaces' : 'watch children';
  }

  function makeLoop(manifest: KubeObject): Loop {
    const watch = createLaggingWatch({
      watch: cluster.api.source,
      clock,
      delayMs: (ref) => {
        const site = siteOfWatch(ref);
        const decision = decisions.at(site, WATCH_SITES[site]);
        return decision ? 1 + chance.below(`${decision.key} lag`, LAG_MS[decision.kind] ?? 1) : 0;
      },
    });
    const loop = createMetacontroller({
      controller: manifest,
      kube: kubeWire.forLoop,
      watch: watch.watch,
      callHook: hookCall,
      clock,
      shuffle,
    });
    return { loop, watch };
  }

  async function startLeader(): Promise<Leader> {
    const leader: Leader = {
      ...makeLoop(controller),
      ...(options.shares ? { sharing: makeLoop(decorator) } : {}),
      ...(options.backsUp ? { backups: makeLoop(backupController) } : {}),
    };
    leaders.push(leader);
    rate.judge(leaders.length < 2);
    await leader.loop.start();
    await leader.sharing?.loop.start();
    await leader.backups?.loop.start();
    return leader;
  }

  function halt({ loop, sharing, backups }: Leader): void {
    for (const one of [loop, sharing?.loop, backups?.loop]) one?.stop();
  }

  function stopLeader(leader: Leader): void {
    halt(leader);
    leaders = leaders.filter((one) => one !== leader);
    rate.judge(leaders.length < 2);
  }

  let isOver = false;
  async function callAgain(): Promise<void> {
    while (!isOver) {
      await clock.sleep(CALLED_AGAIN_MS);
      for (const { metadata } of cluster.allRds()) leaders[0]?.loop.enqueue(metadata);
    }
  }

  await cluster.installCrds();
  for (const name of options.shares ? ASKING_NAMESPACES : []) await cluster.addNamespace(name);
  await startLeader();
  if (options.stands) void callAgain();

  const clocksAgree = () => !decisions.fired.some(({ kind }) => kind === 'clock jumps');
  const { removedByHand, foreign } = people;
  const facts: Facts = { cluster, cloud, servers, clocksAgree, removedByHand, foreign };

  return {
    clock,
    chance,
    history,
    decisions,
    cluster,
    cloud,
    people,
    sharers,
    sharing,
    keepers,
    weather,
    facts,
    replicas,
    violations,
    report,
    retained: clusterOracle.retained,
    hookCalls: () => hookCalls,
    cloudWrites: cloudOracle.writes,
    look: cloudOracle.look,
    judgeLostTokens: credentials.judgeLost,
    judgeLeftBackups: cloudOracle.judgeLeftBackups,
    leader: (): Leader | undefined => leaders[0],
    startLeader,
    stopLeader,
    async restartLeaders(): Promise<void> {
      for (const leader of leaders) stopLeader(leader);
      await startLeader();
    },
    stop(): void {
      isOver = true;
      Error.stackTraceLimit = stackTraceLimit;
      for (const leader of leaders) halt(leader);
    },
  };
}
