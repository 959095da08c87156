import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { cesRoutes } from '../../src/simulator/ces/routes.ts';
import type { Route } from '../../src/simulator/protocol.ts';
import { rdsRoutes } from '../../src/simulator/rds/routes.ts';
import { smnRoutes } from '../../src/simulator/smn/routes.ts';
import { vpcRoutes } from '../../src/simulator/vpc/routes.ts';
import { createWorld } from '../support/world.ts';

type Policy = { Version: string; Statement: { Effect: string; Action: string[] }[] };

const ROOT = join(import.meta.dirname, '../..');
const policy = (name: string): Policy =>
  JSON.parse(readFileSync(join(ROOT, 'deploy/policies', `${name}.json`), 'utf8'));
const allowed = (name: string): string[] => policy(name).Statement.flatMap(({ Action }) => Action);
const routes = [...rdsRoutes, ...vpcRoutes, ...cesRoutes, ...smnRoutes];
/** One path with several verbs: each has its own action. */
const VERBS = ['restart', 'modifySpec', 'extendSpace', 'singleToHa'].map((verb) => `rds:instance:${verb}`);

function actionsOf(calls: Record<string, Record<string, number>>): string[] {
  const made = Object.entries(calls).flatMap(([service, byRoute]) =>
    Object.keys(byRoute).map((call) => ({ service, call })),
  );
  const needed = made.flatMap(({ service, call }) => {
    const route = routes.find(
      (each) => each.service === service && `${each.method} ${each.template}` === call,
    );
    if (!route) return service !== 'iam' ? [`${service} ${call}: unknown`] : [];
    if (typeof route.action === 'function') return VERBS;
    return route.action ? [route.action] : [];
  });
  return [...new Set(needed)].sort();
}

t.test('each policy allows named actions only, each once', async (t) => {
  for (const name of ['operator', 'logs']) {
    const { Version, Statement } = policy(name);
    t.equal(Version, '1.1');
    t.ok(Statement.every(({ Effect }) => Effect === 'Allow'));
    const actions = allowed(name);
    t.equal(new Set(actions).size, actions.length, name);
    for (const action of actions) t.match(action, /^(rds|ces|smn|vpc):[a-zA-Z]+:[a-zA-Z]+$/);
  }
  t.same(allowed('logs'), ['rds:log:list'], 'a log Job reads logs and nothing else');
});

t.test('every action in it is one that the cloud knows', async (t) => {
  const known = new Set([...routes.map(({ action }) => action), ...VERBS]);
  t.same(
    allowed('operator').filter((action) => !known.has(action)),
    [],
  );
});

const client = globSync('src/otc/*.ts', { cwd: ROOT })
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');

/** Whether our client has this path, whole or as the end that it adds to `/instances/{id}`. */
function isNamed({ service, template }: Route): boolean {
  const path = template.replace(/^\/(v3|V1\.0|v2)\/\{project\}/, '');
  const [, end] = service === 'rds' ? (/^\/instances\/\{id\}(\/.+)$/.exec(path) ?? []) : [];
  return [path, template, end, end?.slice(1)].some(
    (each) => each !== undefined && client.includes(`'${each}'`),
  );
}

t.test('it fits what the client can ask for: nothing is missing, nothing is idle', async (t) => {
  const granted = allowed('operator');
  const named = routes.filter(
    (route) => typeof route.action === 'string' && route.template !== '/' && isNamed(route),
  );
  t.ok(named.length > 30, `${named.length} calls`);
  const byPath = Map.groupBy(named, ({ template }) => template);
  const refused = [...byPath].filter(
    ([, some]) => !some.some(({ action }) => granted.includes(String(action))),
  );
  t.same(
    refused.map(([template]) => template),
    [],
    'each path may be called',
  );
  const useful = new Set([...named.map(({ action }) => action), ...VERBS]);
  t.same(
    granted.filter((action) => !useful.has(action)),
    [],
    'each action belongs to a path of the client',
  );
});

t.test('a whole life needs no other action', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', { volumesize: 40, flavorref: 'rds.mysql.c2.medium' });
  t.ok(await world.reaches('shop', 'Ready'));
  await world.apply(
    'shop',
    { volumesize: 60, flavorref: 'rds.mysql.c2.medium' },
    { 'otc.mcsps.de/restart': '1' },
  );
  t.ok(await world.clock.runUntil(() => world.simulator.state.instances[0]?.volumeGb === 60, 3_600_000));
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  const needed = actionsOf(world.simulator.calls());
  for (const action of ['rds:instance:create', 'rds:instance:delete', 'rds:backup:create', 'vpc:vpcs:list'])
    t.ok(needed.includes(action), `the test sees ${action}`);
  t.same(
    needed.filter((action) => !allowed('operator').includes(action)),
    [],
  );
});
