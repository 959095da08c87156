// Single operations in a quiet world, for the exhaustive part: prepared without faults, then struck at one or two
// exact calls.

import type { KubeObject } from '../../src/kube/api.ts';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { BACKUP_SCENARIOS } from './backup-scenarios.ts';
import { MINUTE, SECOND, START } from './clock.ts';
import type { Lags } from './cloud.ts';
import { type Choose, chooseExactly, type Decision, type Strike } from './decisions.ts';
import { DRILL_SCENARIOS } from './drill-scenarios.ts';
import { JOB_SCENARIOS } from './job-scenarios.ts';
import type { Deed, Policy, Target } from './plan.ts';
import { ROTATION_SCENARIOS } from './rotation-scenarios.ts';
import type { Scenario } from './scenario.ts';
import { comeToRest, perform, runTo } from './schedule.ts';
import { CANARY } from './secrets.ts';
import { SHARE_SCENARIOS } from './share-scenarios.ts';
import type { Violation } from './violation.ts';
import { createWorld, type World } from './world.ts';

const TARGET: Target = { namespace: 'team-a', name: 'db1' };
/** Short: what would flip does so at once, or in the random schedules. */
const SILENCE_MS = 3 * MINUTE;
const LAGS: Lags = { listLagMs: 20 * SECOND, goneLagMs: 10 * SECOND, jobLagMs: 5 * SECOND };

export type { Scenario };

const create = (policy: Policy = 'Snapshot', more: Partial<RdsSpec> = {}): Deed => ({
  do: 'create',
  password: 'generated',
  policy,
  flavor: 'rds.mysql.c2.medium',
  sizeGb: 40,
  more,
});

const HA: Partial<RdsSpec> = {
  hamode: 'Ha',
  flavorref: 'rds.mysql.c2.medium.ha',
  availabilityzone: 'eu-de-01,eu-de-02',
};

/** A change of the spec and the calls that it brings; `from`: what else the spec said before. */
const change = (strikes: readonly string[], to: Partial<RdsSpec>, from: Partial<RdsSpec> = {}): Scenario => ({
  name: strikes.join(' and '),
  before: [create('Delete', from)],
  deed: { do: 'spec', change: to },
  forMs: 2 * MINUTE,
  strikes,
});

const PUSHED: Partial<RdsSpec> = {
  endpoint: 'https://alarms.example.com/',
  autopilot: { mode: 'Act', storage: { maxGb: 120 }, cooldownMinutes: 5 },
};

/** What happens to an instance that the autopilot watches. */
const watched = (name: string, deed: Deed): Scenario => ({
  name: `watched: ${name}`,
  before: [create('Delete', PUSHED)],
  deed,
  prepareMs: 4 * MINUTE,
  forMs: 6 * MINUTE,
  strikes: [name],
});

export const SCENARIOS: readonly Scenario[] = [
  { name: 'create', before: [], deed: create(), forMs: 3 * MINUTE },
  { name: 'enlarge', before: [create()], deed: { do: 'grow', byGb: 20 }, forMs: 2 * MINUTE },
  { name: 'resize', before: [create()], deed: { do: 'flavor', to: 'rds.mysql.c2.large' }, forMs: 2 * MINUTE },
  { name: 'restart', before: [create()], deed: { do: 'restart', order: 'r1' }, forMs: 2 * MINUTE },
  {
    // The cache goes back to a spec that was told and waited, in the moment in which it would no longer wait.
    name: 'resize from the past',
    before: [
      create('Delete', { maintenanceWindow: { start: '09:00', end: '13:00' } }),
      { do: 'flavor', to: 'rds.mysql.c2.large' },
    ],
    gapMs: 2 * MINUTE,
    prepareMs: 4 * MINUTE,
    deed: { do: 'flavor', to: 'rds.mysql.c2.medium' },
    next: { afterMs: 57 * MINUTE, deed: { do: 'parent goes back', versions: 2 } },
    forMs: MINUTE,
    strikes: ['kube live rds'],
  },
  {
    name: 'adopt',
    before: [{ do: 'foreign namesake', remade: true }, create()],
    deed: { do: 'adopt foreign' },
    forMs: 2 * MINUTE,
  },
  {
    name: 'delete with backup',
    before: [create()],
    deed: { do: 'delete', foreground: false },
    forMs: 5 * MINUTE,
  },
  {
    name: 'delete',
    before: [create('Delete')],
    deed: { do: 'delete', foreground: false },
    forMs: 4 * MINUTE,
  },
  {
    name: 'create that fails',
    before: [],
    deed: create('Delete'),
    forMs: 3 * MINUTE,
    always: [{ site: 'otc create', occurrence: 1, kind: 'failed-build' }],
  },
  {
    name: 'restart without an answer',
    before: [create()],
    deed: { do: 'restart', order: 'r1' },
    forMs: 2 * MINUTE,
    always: [{ site: 'otc restart', occurrence: 1, kind: 'timeout-after' }],
  },
  {
    name: 'create by two at once',
    seed: 8,
    before: [],
    deed: create(),
    forMs: 3 * MINUTE,
    always: [
      { site: 'hook /sync', occurrence: 1, kind: 'not-reached' },
      ...Array.from({ length: 60 }, (_, index) => ({
        site: 'hook /sync',
        occurrence: index + 2,
        kind: 'doubled',
      })),
    ],
  },
  {
    name: 'new password',
    before: [{ ...create(), password: 'spec' } as Deed],
    deed: { do: 'new password', value: `${CANARY}-secondPw2` },
    forMs: 2 * MINUTE,
  },
  {
    name: 'retain',
    before: [create('Retain')],
    deed: { do: 'delete', foreground: false },
    forMs: 3 * MINUTE,
  },
  {
    name: 'delete with its namespace',
    before: [create()],
    deed: { do: 'delete namespace' },
    forMs: 5 * MINUTE,
    strikes: ['kube live namespace', 'kube live crd'],
  },
  {
    name: 'old picture',
    before: [create(), { do: 'flavor', to: 'rds.mysql.c2.large' }],
    gapMs: 2 * MINUTE,
    // Far enough to show the Rds as it was before its flavor was changed.
    deed: { do: 'parent goes back', versions: 6 },
    forMs: 2 * MINUTE,
    strikes: ['kube live rds', 'kube journal swap'],
  },
  {
    name: 'adopt from the old operator',
    before: [{ do: 'foreign namesake' }, create()],
    deed: { do: 'adopt foreign' },
    forMs: 2 * MINUTE,
    strikes: ['otc alarms'],
  },
  {
    // An answer from memory would not see it.
    name: 'grown by hand at rest',
    stands: true,
    before: [create()],
    prepareMs: 5 * MINUTE,
    deed: { do: 'hand grows disk' },
    forMs: 3 * MINUTE,
    strikes: ['otc list'],
  },
  {
    name: 'sweep',
    before: [{ do: 'old journals' }],
    deed: { do: 'journals are swept', which: 0 },
    forMs: MINUTE,
  },
  change(['otc port'], { port: '3307' }),
  change(['otc backup policy'], { backupkeepdays: 3 }),
  change(['otc security group'], { securitygroup: 'spare' }),
  change(['otc restore time'], { backuprestoretime: '2026-11-16T08:00:30Z' }),
  change(['otc parameters', 'otc set parameters'], { parameters: { max_connections: '150' } }),
  change(['otc set parameters'], { parameters: { binlog_format: 'MIXED' } }),
  change(
    ['otc window'],
    { maintenanceWindow: { start: '22:00', end: '02:00' }, flavorref: 'rds.mysql.c2.large', port: '3307' },
    { maintenanceWindow: { start: '02:00', end: '06:00' } },
  ),
  change(['otc set parameters'], { parameters: { no_such: '1' } }),
  change(['otc ssl'], { ssl: true }),
  change(['otc window'], { maintenanceWindow: { start: '22:00', end: '02:00' } }),
  change(['otc stop'], { stopped: true }),
  { ...change(['otc start'], { stopped: false }, { stopped: true }), prepareMs: 5 * MINUTE },
  change(['otc standby'], HA),
  change(['otc replication mode'], { hareplicationmode: 'semisync' }, { ...HA, hareplicationmode: 'async' }),
  change(['otc failover strategy'], { failoverStrategy: 'availability' }, HA),
  change(['otc minor upgrade'], { minorUpgrade: 'Now' }),
  change(['otc alarm create', 'otc topic create', 'otc subscribe'], PUSHED),
  {
    ...change(
      ['otc alarm delete', 'otc topic delete'],
      { autopilot: { mode: 'Off' }, endpoint: undefined },
      PUSHED,
    ),
    prepareMs: 3 * MINUTE,
    forMs: 6 * MINUTE,
  },
  {
    // Alarms that are made late show up when nobody wants them any more.
    ...change(['otc alarm create', 'otc topic create'], PUSHED),
    name: 'watched: for a moment',
    next: {
      afterMs: 15 * SECOND,
      deed: { do: 'spec', change: { autopilot: { mode: 'Off' }, endpoint: undefined } },
    },
    isStruckAtOnce: true,
    forMs: 8 * MINUTE,
  },
  {
    ...change(['otc subscriptions', 'otc unsubscribe'], { endpoint: 'https://other.example.com/' }, PUSHED),
    prepareMs: 3 * MINUTE,
  },
  { ...watched('otc alarm update', { do: 'hand disables alarm', which: 1 }), forMs: 4 * MINUTE },
  watched('otc alarms', { do: 'hand doubles alarm', which: 0 }),
  { ...watched('otc metric data', { do: 'load', disk: 93 }), forMs: 9 * MINUTE },
  { ...watched('cpu', { do: 'load', cpu: 95 }), strikes: ['otc tag', 'otc resize'], forMs: 9 * MINUTE },
  {
    // The cache goes back to a status that knows nothing of the step just made, while the alarm is still on.
    ...watched('a step forgotten', { do: 'load', cpu: 95 }),
    next: { afterMs: 230 * SECOND, deed: { do: 'parent goes back', versions: 6 } },
    strikes: ['otc metric data'],
    forMs: 2 * MINUTE,
  },
  { ...watched('full disk', { do: 'load', disk: 99 }), strikes: ['otc enlarge'], forMs: 4 * MINUTE },
  {
    ...watched('full disk while a restart is open', { do: 'restart', order: 'r1' }),
    next: { afterMs: 15 * SECOND, deed: { do: 'load', disk: 99 } },
    isStruckAtOnce: true,
    forMs: 9 * MINUTE,
    strikes: ['otc enlarge'],
    always: [{ site: 'otc restart', occurrence: 1, kind: 'late' }],
  },
  { ...watched('delete with alarms', { do: 'delete', foreground: false }), strikes: ['otc alarm delete'] },
  {
    ...watched('retain with alarms', { do: 'delete', foreground: false }),
    before: [create('Retain', PUSHED)],
    strikes: ['otc alarm delete', 'otc topic delete', 'otc alarms'],
    prepareMs: 2 * MINUTE,
    forMs: 8 * MINUTE,
  },
  {
    ...watched('heal', { do: 'instance breaks' }),
    before: [create('Delete', { autopilot: { heal: true } })],
    strikes: ['otc restart'],
    forMs: 16 * MINUTE,
  },
  {
    ...watched('fail over', { do: 'instance breaks' }),
    before: [create('Delete', { ...HA, autopilot: { heal: true } })],
    strikes: ['otc failover'],
    forMs: 16 * MINUTE,
  },
  change(['otc replica'], { readReplicas: [{ name: 'r1' }] }),
  ...JOB_SCENARIOS,
  ...ROTATION_SCENARIOS,
  ...DRILL_SCENARIOS,
  ...SHARE_SCENARIOS,
  ...BACKUP_SCENARIOS,
];

export type Outcome = {
  violation: Violation | undefined;
  fired: readonly Decision[];
  calls: ReadonlyMap<string, number>;
  end: KubeObject | undefined;
  lines: readonly string[];
};

/** The strikes count their calls from the moment of the operation on, or of what comes while it is under way. */
export async function runScenario(
  scenario: Scenario,
  strikes: readonly Strike[],
  options: { keepLines?: boolean } = {},
): Promise<Outcome> {
  const part = createCounter(scenario.always ?? []);
  const tried = createCounter(strikes);
  const world = await createWorld({
    seed: scenario.seed ?? 7,
    replicas: 2,
    shares: scenario.shares === true,
    backsUp: scenario.backsUp === true,
    stands: scenario.stands === true,
    lags: { ...LAGS, listLagMs: scenario.listLagMs ?? LAGS.listLagMs },
    choose: (site, _occurrence, kinds) => {
      const [always, once] = [part, tried].map(({ choose }) => choose(site, 0, kinds));
      return always ?? once;
    },
    ...options,
  });
  await prepare(world, scenario);
  part.arm();
  if (!scenario.next || scenario.isStruckAtOnce) tried.arm();
  await perform(world, { target: TARGET, deed: scenario.deed });
  if (scenario.next) {
    await runTo(world, world.clock.now() + scenario.next.afterMs);
    tried.arm();
    await perform(world, { target: TARGET, deed: scenario.next.deed });
  }
  await runTo(world, world.clock.now() + scenario.forMs);
  if (world.violations.length === 0) await comeToRest(world, [TARGET], SILENCE_MS);
  world.stop();
  return {
    violation: world.violations[0],
    fired: world.decisions.fired,
    calls: tried.calls,
    end: world.cluster.findRds(TARGET.namespace, TARGET.name),
    lines: world.history?.lines ?? [],
  };
}

/** Counts the calls at each site from a moment on. */
function createCounter(strikes: readonly Strike[]) {
  const calls = new Map<string, number>();
  const exactly = chooseExactly(strikes);
  let isArmed = false;
  const choose: Choose = (site, _occurrence, kinds) => {
    if (!isArmed) return undefined;
    const occurrence = (calls.get(site) ?? 0) + 1;
    calls.set(site, occurrence);
    return exactly(site, occurrence, kinds);
  };
  const arm = (): void => {
    isArmed = true;
  };
  return { calls, choose, arm };
}

async function prepare(world: World, { before, gapMs = 0, prepareMs = 2 * MINUTE }: Scenario): Promise<void> {
  for (const deed of before) {
    await perform(world, { target: TARGET, deed });
    await runTo(world, world.clock.now() + gapMs);
  }
  if (before.length > 0) await runTo(world, START + prepareMs);
}
