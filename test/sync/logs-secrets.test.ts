// No credential of a Job in anything that people or programs read; and the look itself, tried with one leak planted in
// each channel.

import { Writable } from 'node:stream';
import pino from 'pino';
import t from 'tap';
import type { JobDeps } from '../../src/jobs/logs/run.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { Cloud, JobAccess, OpenCloud } from '../../src/otc/cloud.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import type { SyncDeps } from '../../src/sync/deps.ts';
import { MINUTE } from '../support/world.ts';
import { createLogWorld, type LogWorld } from './log-world.ts';

const CHANNELS = ['logs', 'status', 'events', 'metrics', 'bodies', 'output', 'journal', 'jobs'] as const;
type Channel = (typeof CHANNELS)[number];
type Test = Parameters<typeof createLogWorld>[0];

/** Orders with keys and with a token, failures on the way, and whatever they left; with a leak where one is wanted. */
async function told(t: Test, form: 'keys' | 'token', leaksInto?: Channel) {
  const lines: string[] = [];
  const secrets = new Set<string>();
  const secret = () => [...secrets][0] ?? '';
  const log = pino(
    { level: 'trace' },
    new Writable({ write: (line, _, done) => done(void lines.push(`${line}`)) }),
  );
  const leaky = (channel: Channel) => (leaksInto === channel ? secret() : '');
  const published: string[] = [];
  const deps: Partial<SyncDeps> = {
    log,
    publish: (events) => {
      published.push(JSON.stringify(events), leaky('events'));
      if (leaky('bodies') !== '') throw Object.assign(new Error(secret()), { statusCode: 400 });
    },
  };
  const noting =
    <Rest extends unknown[], Access extends JobAccess>(issue: (...rest: Rest) => Promise<Access>) =>
    async (...rest: Rest) => {
      const access = await issue(...rest);
      for (const one of access.form === 'token' ? [access.token] : [access.secretKey, access.securityToken])
        secrets.add(one);
      if (leaksInto === 'logs') log.info(`issued ${secret()}`);
      return access;
    };
  let open: OpenCloud | undefined;
  deps.openCloud = (credentials, budget) => {
    open ??= createOpenCloud({ send: world.simulator.send, clock: world.clock, random: () => 0.5 });
    const cloud = open(credentials, budget);
    const quoting: Partial<Cloud> = {
      issueKeys: noting(cloud.issueKeys),
      issueToken: noting(cloud.issueToken),
      // A cloud that quotes what it was given.
      findInstanceById: async (id) => {
        const found = await cloud.findInstanceById(id);
        if (leaky('status') === '' || !found.value) return found;
        return { ...found, value: { ...found.value, status: secret().slice(0, 64) } };
      },
    };
    return Object.assign(Object.create(cloud), quoting);
  };
  const world = await createLogWorld(t, { deps });
  await world.ready();
  if (form === 'token') world.withoutKeys();
  world.failing('503', { method: 'DELETE' }, 3);
  await world.order('a');
  const output: string[] = [];
  const [job] = await world.jobs();
  if (job) {
    const print: JobDeps['print'] = async (line) => void output.push(line, leaky('output'));
    output.push(...(await world.run(job, { print })));
  }
  await world.order('b');
  await world.clock.advance(2 * MINUTE);
  const metrics = createMetrics({ process: false });
  if (leaksInto === 'metrics')
    metrics.otcCalled({ service: 'iam', method: 'POST', route: secret(), result: '201', seconds: 1 });
  const refused = await world.app.inject({ method: 'POST', url: '/sync', payload: {} });
  if (leaksInto === 'journal' || leaksInto === 'jobs')
    await leakInto(world, leaksInto === 'journal' ? 'Lease' : 'Job', secret());
  const dump = world.api.dump();
  const kinds = (...wanted: string[]) => JSON.stringify(dump.filter(({ kind }) => wanted.includes(kind)));
  const answers = world.calls
    .filter(({ status }) => status !== 200)
    .map(({ answer }) => JSON.stringify(answer));
  const channels: Record<Channel, string> = {
    logs: lines.join(''),
    status: kinds('Rds'),
    events: published.join(''),
    journal: kinds('Lease'),
    jobs: kinds('Job'),
    metrics: (await world.app.inject({ url: '/metrics' })).body + (await metrics.registry.metrics()),
    bodies: refused.body + answers.join(''),
    output: output.join('\n'),
  };
  const leaks = CHANNELS.filter((name) =>
    [...secrets].some((one) => channels[name].includes(one.slice(0, 60))),
  );
  return { channels, leaks, secrets };
}

/** As if somebody had written it there: into the first object of the kind. */
async function leakInto(world: LogWorld, kind: 'Lease' | 'Job', secret: string): Promise<void> {
  const found = world.api.dump().find((object) => object.kind === kind);
  const { name = '', namespace } = found?.metadata ?? {};
  const where = kind === 'Lease' ? 'coordination.k8s.io/v1' : 'batch/v1';
  const path = `/apis/${where}/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;
  await world.kube(
    'PATCH',
    path,
    { metadata: { annotations: { note: secret } } },
    'application/merge-patch+json',
  );
}

for (const form of ['keys', 'token'] as const) {
  t.test(`${form}: no credential of a Job is told anywhere`, async (t) => {
    const { leaks, secrets, channels } = await told(t, form);
    t.ok(secrets.size >= 4, 'two orders had their credentials');
    t.same(leaks, []);
    for (const name of CHANNELS) t.ok(channels[name].length > 20, `${name} has something to look through`);
  });
}

for (const channel of CHANNELS) {
  t.test(`a leak planted in ${channel} is found`, async (t) => {
    const { leaks } = await told(t, 'keys', channel);
    t.ok(leaks.includes(channel));
  });
}
