// No password of a user in anything that people or programs read, whatever a SQL Job says; and the look itself, tried
// with one leak planted in each channel.

import { Writable } from 'node:stream';
import pino from 'pino';
import t, { type Test } from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { SyncDeps } from '../../src/sync/deps.ts';
import { MINUTE, SECOND } from '../support/world.ts';
import { createJobWorld, type JobWorld } from './job-world.ts';

const CHANNELS = ['logs', 'status', 'events', 'metrics', 'bodies', 'journal', 'jobs'] as const;
type Channel = (typeof CHANNELS)[number];

const GIVEN = 'Canary-Given_1';
const IN_CLEAR = 'Canary-Clear_2';
const CHANGED = 'Canary-Changed_3';

/** Where a leak is written by hand: an object that ends up in that channel. */
const OBJECTS: Partial<Record<Channel, string>> = { status: 'Rds', journal: 'Lease', jobs: 'Job' };

async function told(t: Test, leaksInto?: Channel) {
  const lines: string[] = [];
  const published: string[] = [];
  let secret = '';
  const log = pino(
    { level: 'trace' },
    new Writable({ write: (line, _, done) => done(void lines.push(`${line}`)) }),
  );
  const deps: Partial<SyncDeps> = {
    log,
    publish: (events) => {
      published.push(JSON.stringify(events));
      if (leaksInto === 'bodies' && secret !== '')
        throw Object.assign(new Error(secret), { statusCode: 400 });
    },
  };
  const world = await createJobWorld(t, deps);
  await world.secret('given', { pw: GIVEN });
  await world.apply('shop', {
    databases: ['goods'],
    users: [
      { name: 'drawn' },
      { name: 'given', passwordSecretRef: { name: 'given', key: 'pw' } },
      { name: 'clear', password: IN_CLEAR },
    ],
  });
  t.ok(await world.reaches('shop', 'Ready'));
  await world.clock.advance(10 * SECOND);
  const first = await world.onlyJob();
  await world.ends(first, { failures: [{ what: 'user clear@%', why: 'Your password is too short' }] });
  await world.apply('shop', {
    databases: ['goods'],
    users: [
      { name: 'drawn' },
      { name: 'given', passwordSecretRef: { name: 'given', key: 'pw' } },
      { name: 'clear', password: CHANGED },
    ],
  });
  await world.clock.advance(2 * MINUTE);
  const jobs = JSON.stringify(await world.jobs());
  secret = GIVEN;
  if (leaksInto) await plant(world, leaksInto, { log, published });
  await world.clock.advance(2 * MINUTE);
  const metrics = createMetrics({ process: false });
  if (leaksInto === 'metrics')
    metrics.otcCalled({ service: 'rds', method: 'POST', route: GIVEN, result: '201', seconds: 1 });
  const refused = await world.app.inject({
    method: 'POST',
    url: '/sync',
    payload: { parent: { metadata: {}, spec: { users: [{ password: GIVEN }] } }, children: {} },
  });
  const passwords = (await userPasswords(world)).concat(GIVEN, IN_CLEAR, CHANGED);
  const kinds = (kind: string) =>
    JSON.stringify(
      world.api
        .dump()
        .filter((one) => one.kind === kind)
        .map(tellable),
    );
  const answers = world.calls
    .filter(({ status }) => status !== 200)
    .map(({ answer }) => JSON.stringify(answer));
  const channels: Record<Channel, string> = {
    logs: lines.join(''),
    status: kinds('Rds'),
    events: published.join(''),
    journal: kinds('Lease'),
    jobs: jobs + kinds('Job'),
    metrics: (await world.app.inject({ url: '/metrics' })).body + (await metrics.registry.metrics()),
    bodies: refused.body + answers.join(''),
  };
  const leaks = CHANNELS.filter((name) => passwords.some((one) => channels[name].includes(one)));
  return { channels, leaks, passwords };
}

/** The spec may hold a password that people wrote there, and so does what they applied last. */
function tellable({
  spec,
  metadata: { managedFields: _fields, ...metadata },
  ...object
}: KubeObject): unknown {
  return object.kind === 'Rds' ? { ...object, metadata } : { ...object, metadata, spec };
}

async function userPasswords(world: JobWorld): Promise<string[]> {
  const names = (await world.secretNames()).filter((name) => name.includes('-u-') || name === 'shop-root');
  const all = await Promise.all(names.map((name) => world.secretValues(name)));
  return all.flatMap(({ password }) => password ?? []);
}

async function plant(world: JobWorld, channel: Channel, into: { log: pino.Logger; published: string[] }) {
  if (channel === 'logs') into.log.info({ password: GIVEN });
  if (channel === 'events') into.published.push(GIVEN);
  const kind = OBJECTS[channel];
  const found = kind === undefined ? undefined : world.api.dump().find((object) => object.kind === kind);
  if (!found) return;
  const { name, namespace } = found.metadata;
  const path = `/apis/${found.apiVersion}/namespaces/${namespace}/${found.kind.toLowerCase()}s/${name}`;
  await world.kube(
    'PATCH',
    path,
    { metadata: { annotations: { note: GIVEN } } },
    'application/merge-patch+json',
  );
}

t.test('no password of a user is told anywhere', async (t) => {
  const { leaks, passwords, channels } = await told(t);
  t.ok(new Set(passwords).size >= 5, 'root, drawn, given, and two in the spec');
  t.same(leaks, []);
  for (const name of CHANNELS) t.ok(channels[name].length > 20, `${name} has something to look through`);
});

for (const channel of CHANNELS)
  t.test(`a leak planted in ${channel} is found`, async (t) => {
    t.same((await told(t, channel)).leaks, [channel]);
  });
