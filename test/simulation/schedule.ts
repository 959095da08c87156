// One schedule: people live their plan while everything fails around them, then the faults stop and the world must
// come to rest as the specs say.

import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '../../src/kube/api.ts';
import { findCondition } from '../../src/rds/conditions.ts';
import { userSecretName } from '../../src/rds/names.ts';
import { hasLostBackup, unfinishedBackup } from './backup-end.ts';
import { isBackupDeed } from './backup-plan.ts';
import { MINUTE, SECOND, START } from './clock.ts';
import type { Lags } from './cloud.ts';
import { keyOf, statusOf } from './cluster.ts';
import { type Choose, chooseByChance, type Decision } from './decisions.ts';
import { layOldJournals } from './old-journals.ts';
import { judgeLeftAlarms } from './oracle-autopilot.ts';
import { judgeOrphans, unfinished } from './oracle-end.ts';
import { CLAIMED_SITES, CREDENTIAL_SITES, isWatchSite, type OtcSite } from './otc-sites.ts';
import { makePlan, type Plan, type Step, siteOfDeed } from './plan.ts';
import { type Chance, createChance } from './random.ts';
import { isShareDeed } from './share-plan.ts';
import type { Violation } from './violation.ts';
import { BACKUPS, createWorld, NAMESPACES, PARENTS, SECRETS, type World } from './world.ts';

export type Result = {
  seed: number;
  violation: Violation | undefined;
  fired: readonly Decision[];
  steps: readonly Step[];
  hookCalls: number;
  specChanges: number;
  rds: number;
  virtualMs: number;
  /** Both only when lines are kept. */
  digest: string;
  lines: readonly string[];
};

export type ScheduleOptions = { without?: ReadonlySet<string>; keepLines?: boolean };

/** Such schedules cost more: every request becomes a text, and every answer that stood is worked out all the same. */
const STANDING_SHARE = 0.0625;
const CONVERGE_MS = 60 * MINUTE;
const REST_MS = 2 * MINUTE;
const MEMORY_MS = 7 * MINUTE;
/** Some things flip every ten minutes: one schedule in six waits for them. */
const SILENCE_MS = 3 * MINUTE;
const LONG_SILENCE_MS = 11 * MINUTE;
const LONG_SILENCE_SHARE = 0.16;

const RARE = new Set([
  'otc login',
  'otc flavors',
  'otc vpcs',
  'otc subnets',
  'otc security groups',
  'otc tags',
  'otc tasks',
  'otc job',
  'otc error log',
  'otc slow log',
  'kube pods',
  'loop delete',
  'otc metric data',
  'otc subscriptions',
  'kube secret owner',
  'loop namespace',
]);

function rates(chance: Chance): (site: string) => number {
  const base = chance.pick('intensity', [0.008, 0.02, 0.04]);
  const rateOf = (site: string): number => {
    if (CLAIMED_SITES.has(site) || CREDENTIAL_SITES.has(site) || site.startsWith('pod ')) return 0.35;
    if (isWatchSite(site as OtcSite)) return 0.25;
    if (site === 'otc tag' || site === 'otc untag' || site.startsWith('kube owner')) return 0.2;
    if (RARE.has(site)) return 0.12;
    if (site === 'otc list' || site === 'otc find by id') return base * 0.7;
    if (site.startsWith('kube')) return base * 2.5;
    if (site === 'loop get') return base * 0.3;
    return base;
  };
  const known = new Map<string, number>();
  return (site) => {
    const rate = known.get(site) ?? rateOf(site);
    known.set(site, rate);
    return rate;
  };
}

function lagsOf(chance: Chance): Lags {
  return {
    listLagMs: chance.pick('list lag', [0, 0, 5, 30, 120]) * SECOND,
    goneLagMs: chance.pick('gone lag', [0, 0, 10, 60, 120]) * SECOND,
    jobLagMs: chance.pick('job lag', [0, 0, 5, 60]) * SECOND,
  };
}

/** Everything that a seed decides before the first step. */
export type Course = { seed: number; plan: Plan; lags: Lags; stands: boolean; silenceMs: number };

export function courseOf(seed: number): Course {
  const chance = createChance(seed);
  return {
    seed,
    plan: makePlan(chance),
    lags: lagsOf(chance),
    stands: chance.of('answers stand') < STANDING_SHARE,
    silenceMs: chance.of('silence') < LONG_SILENCE_SHARE ? LONG_SILENCE_MS : SILENCE_MS,
  };
}

export function runSchedule(seed: number, options: ScheduleOptions = {}): Promise<Result> {
  const chance = createChance(seed);
  return runCourse(courseOf(seed), chooseByChance(chance, rates(chance)), options);
}

export async function runCourse(
  { seed, plan, lags, stands, silenceMs }: Course,
  choose: Choose,
  options: ScheduleOptions = {},
): Promise<Result> {
  const world = await createWorld({
    ...{ seed, choose, lags, stands },
    replicas: plan.replicas,
    shares: plan.shares,
    backsUp: plan.backsUp,
    ...options,
  });
  await live(world, plan);
  if (world.violations.length === 0) await comeToRest(world, plan.targets, silenceMs);
  world.stop();
  return {
    seed,
    violation: world.violations[0],
    fired: world.decisions.fired,
    steps: plan.steps,
    hookCalls: world.hookCalls(),
    specChanges: world.people.specChanges(),
    rds: plan.targets.length,
    virtualMs: world.clock.now() - START,
    digest: world.history?.digest() ?? '',
    lines: world.history?.lines ?? [],
  };
}

/** Runs on, but not past a violation. */
export async function runTo(world: World, at: number): Promise<void> {
  const { clock, violations } = world;
  if (at > clock.now()) await clock.runUntil(() => violations.length > 0, at - clock.now());
  if (violations.length === 0 && at > clock.now()) await clock.advance(at - clock.now());
}

async function live(world: World, plan: Plan): Promise<void> {
  for (const step of plan.steps) {
    await runTo(world, START + step.at);
    if (world.violations.length > 0) return;
    const about = `${step.target.namespace}/${step.target.name} ${JSON.stringify(step.deed)}`;
    if (world.decisions.allows(step.key, siteOfDeed(step.deed), step.deed.do, about))
      await perform(world, step);
  }
  await runTo(world, START + plan.chaosMs);
}

export async function perform(world: World, { target, deed }: Pick<Step, 'target' | 'deed'>): Promise<void> {
  const { namespace, name } = target;
  world.history?.note(`${siteOfDeed(deed)}: ${JSON.stringify(deed)} on ${namespace}/${name}`);
  const leader = world.leader();
  switch (deed.do) {
    case 'parent goes back':
      leader?.watch.goBack(PARENTS, `${namespace}/${name}`, deed.versions);
      return;
    case 'children go back':
      leader?.watch.goBack(SECRETS, `${namespace}/${name}-root`, deed.versions);
      for (const watch of [leader?.watch, leader?.sharing?.watch])
        watch?.goBack(SECRETS, `${namespace}/${name}-connection`, deed.versions);
      if (world.people.wishOf(target)?.users?.some(({ rotateEvery }) => rotateEvery !== undefined))
        leader?.watch.goBack(SECRETS, `${namespace}/${userSecretName(name, 'app', '%')}`, deed.versions);
      return;
    case 'namespace goes back':
      leader?.sharing?.watch.goBack(NAMESPACES, deed.namespace, deed.versions);
      return;
    case 'backup goes back': {
      const backup = `${namespace}/${world.keepers.nameOf(target, deed.which)}`;
      leader?.backups?.watch.goBack(BACKUPS, backup, deed.versions);
      return;
    }
    case 'copy goes back':
      leader?.sharing?.watch.goBack(
        SECRETS,
        `${deed.namespace}/${namespace}.${name}-connection`,
        deed.versions,
      );
      return;
    case 'metacontroller restarts':
      return world.restartLeaders();
    case 'second leader': {
      const second = await world.startLeader();
      void world.clock.sleep(deed.forMs).then(() => world.stopLeader(second));
      return;
    }
    case 'sync for no reason':
      leader?.loop.enqueue({ namespace, name });
      return;
    case 'cloud is slow':
    case 'cloud is down':
    case 'tenant is down':
    case 'API server is down':
    case 'no temporary keys':
      world.weather.begin(deed.do, deed.forMs);
      return;
    case 'replica killed':
      world.replicas[deed.which % world.replicas.length]?.kill();
      return;
    case 'old journals':
      return layOldJournals(world.cluster, world.clock.now());
    case 'journals are swept':
      void world.replicas[deed.which % world.replicas.length]?.sweep();
      return;
    case 'clock jumps':
      world.replicas[deed.which % world.replicas.length]?.jump(deed.byMs);
      return;
    default:
      if (isBackupDeed(deed)) return world.keepers.perform(target, deed);
      return isShareDeed(deed) && deed.do !== 'allow'
        ? world.sharers.perform(target, deed)
        : world.people.perform(target, deed);
  }
}

/** No more faults: convergence, then silence. */
export async function comeToRest(
  world: World,
  targets: Plan['targets'],
  silenceMs = SILENCE_MS,
): Promise<void> {
  const { clock, decisions, violations } = world;
  decisions.end();
  world.history?.note('the faults are over');
  await world.people.release(targets);
  await world.restartLeaders();
  const calmSince = clock.now();
  const end = calmSince + CONVERGE_MS;
  let missing: string | undefined = 'not looked yet';
  while (missing !== undefined && clock.now() < end && violations.length === 0) {
    await runTo(world, clock.now() + 30 * SECOND);
    missing = unfinished(world.facts) ?? unfinishedBackup(world.facts) ?? world.sharing?.unfinished();
  }
  if (violations.length > 0) return;
  if (missing !== undefined) return reportUnfinished(world, '');
  syncNamespaces(world);
  const memoryMs = isLoginRefused(world) ? MEMORY_MS : 0;
  await runTo(world, Math.max(clock.now() + REST_MS, calmSince + memoryMs));
  world.look();
  judgeOrphans(world.facts, world.retained, world.report);
  world.judgeLostTokens();
  world.judgeLeftBackups();
  judgeLeftAlarms(world.facts, world.report);
  await beSilent(world, silenceMs);
}

/** Whose wish never had a Secret hears of the end of the Rds only from the safety net, every ten minutes. */
function syncNamespaces(world: World): void {
  const { loop } = world.leader()?.sharing ?? {};
  for (const { metadata } of loop ? world.cluster.namespaces() : []) loop?.enqueue({ name: metadata.name });
}

/** A replica may remember a refused login for five minutes. */
function isLoginRefused({ decisions }: World): boolean {
  return decisions.fired.some(({ site }) => site === 'otc login');
}

async function beSilent(world: World, silenceMs: number): Promise<void> {
  const { cluster, clock } = world;
  const versions = () =>
    new Map(
      [...cluster.allRds(), ...cluster.allBackups()]
        .filter((object) => !object.metadata.deletionTimestamp && !isTriedAgain(object))
        .filter((object) => !hasLostBackup(world.facts, object))
        .map((object) => [`${object.kind} ${keyOf(object)}`, object]),
    );
  const before = versions();
  const writes = world.cloudWrites();
  const shared = world.sharing?.versions();
  await runTo(world, clock.now() + silenceMs);
  if (world.violations.length > 0) return;
  for (const [key, object] of versions()) {
    const old = before.get(key);
    if (old && old.metadata.resourceVersion !== object.metadata.resourceVersion) {
      world.report('silent', `${key} was written although nothing happened: ${changed(old, object)}`);
    }
  }
  const isDeleting = [...cluster.allRds(), ...cluster.allBackups()].some(
    ({ metadata }) => metadata.deletionTimestamp,
  );
  if (!isDeleting && world.cloudWrites() !== writes) {
    world.report('silent', `${world.cloudWrites() - writes} writes to the cloud although nothing happened`);
  }
  if (!isDeepStrictEqual(world.sharing?.versions(), shared))
    world.report('silent', `namespaces or copies were written: ${shared} -> ${world.sharing?.versions()}`);
  reportUnfinished(world, 'it did not stay: ');
}

function reportUnfinished({ facts, sharing, report }: World, before: string): void {
  const problem = unfinished(facts) ?? unfinishedBackup(facts);
  const unshared = sharing?.unfinished();
  if (problem !== undefined) report('converges', `${before}${problem}`);
  if (unshared !== undefined) report('shared-where-agreed', `${before}${unshared}`);
}

/** What a server refuses is tried again now and then, and told. */
function isTriedAgain(object: KubeObject): boolean {
  const { databases, conditions } = statusOf(object);
  // What could be restored moves on with every backup.
  if (findCondition(conditions, 'Synced')?.reason === 'RestoreRefused') return true;
  return (
    (databases?.failures ?? []).length > 0 ||
    findCondition(conditions, 'DatabasesReady')?.reason === 'DatabasesFailed'
  );
}

function changed(before: object, after: object): string {
  return `${JSON.stringify((before as { status?: unknown }).status)} -> ${JSON.stringify((after as { status?: unknown }).status)}`;
}
