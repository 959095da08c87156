import pino from 'pino';
import t from 'tap';
import type { KubeCall, KubeObject } from '../../src/kube/api.ts';
import { createEventWriter, type EventToWrite } from '../../src/kube/events.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import { hash32 } from '../../src/rds/hash.ts';
import { watchedCall } from './watched-call.ts';

const NOW = Date.parse('2026-11-16T08:00:00.700Z');
const UID = '4bc725ab-a311-4c18-92e7-ba4969369b55';

const event = (more: Partial<EventToWrite> = {}): EventToWrite => ({
  rds: { namespace: 'team-a', name: 'shop', uid: UID, resourceVersion: '290' },
  type: 'Warning',
  reason: 'CloudUnreachable',
  message: 'The cloud does not answer.',
  key: 'CloudUnreachable/1/Available/2026-11-16T08:00:00Z',
  ...more,
});

function createCluster() {
  const api = createApiServer({
    clock: createVirtualClock(NOW),
    uid: seededUids(1),
    namespaces: ['team-a'],
    collectAfterMs: 60_000,
  });
  const events = () => api.dump().filter(({ kind }) => kind === 'Event');
  return { ...watchedCall(api.call), events };
}

function writerOn(call: KubeCall) {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
  return { write: createEventWriter(call, () => NOW, log), lines };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('an Event speaks of the Rds, so that kubectl describe shows it', async (t) => {
  const { call, events } = createCluster();
  writerOn(call).write([event()]);
  await turn();
  const [written] = events();
  t.match(written, {
    metadata: { namespace: 'team-a' },
    involvedObject: {
      apiVersion: 'otc.mcsps.de/v1alpha1',
      kind: 'Rds',
      namespace: 'team-a',
      name: 'shop',
      uid: UID,
    },
    type: 'Warning',
    reason: 'CloudUnreachable',
    message: 'The cloud does not answer.',
    firstTimestamp: '2026-11-16T08:00:00Z',
    lastTimestamp: '2026-11-16T08:00:00Z',
    count: 1,
    source: { component: 'rds-pilot' },
  });
});

t.test('an Event of an RdsBackup speaks of that kind', async (t) => {
  const { call, events } = createCluster();
  writerOn(call).write([event({ kind: 'RdsBackup' })]);
  await turn();
  t.match(events(), [{ involvedObject: { kind: 'RdsBackup', name: 'shop', uid: UID } }]);
});

t.test('two replicas that saw the same transition write one Event', async (t) => {
  const { call, events, asked } = createCluster();
  const [one, other] = [writerOn(call), writerOn(call)];
  one.write([event()]);
  other.write([event()]);
  await turn();
  t.equal(asked.length, 2, 'both tried');
  t.equal(events().length, 1, 'the name is derived from the transition');
  t.same([one.lines, other.lines], [[], []], 'which is nothing to log');
});

t.test('a replica asks once for each transition', async (t) => {
  const { call, events, asked } = createCluster();
  const { write } = writerOn(call);
  write([event(), event()]);
  write([event()]);
  await turn();
  t.equal(asked.length, 1);
  write([event({ key: 'CloudUnreachable/2' })]);
  write([event({ rds: { ...event().rds, uid: 'another-uid' } })]);
  await turn();
  t.equal(events().length, 3, 'another transition and another Rds of the same name are others');
});

t.test('a missing right, a broken server and a lost answer only cost the Event', async (t) => {
  const faults = [
    { status: 403, body: {} },
    { status: 500, body: {} },
    { status: 422, body: {} },
    'lostBefore' as const,
    () => {
      throw new Error('a bug further down');
    },
  ];
  for (const fault of faults) {
    const { call, fail, events } = createCluster();
    const { write, lines } = writerOn(call);
    fail('POST', fault);
    t.doesNotThrow(() => write([event(), event({ key: 'second' })]));
    await turn();
    t.equal(events().length, 1, 'the other Event is written');
    t.equal(lines.length, 1, 'told for those who debug');
  }
});

t.test('a namespace on its way out refuses Events, and that is all', async (t) => {
  const { call, events } = createCluster();
  await call({
    method: 'POST',
    path: '/api/v1/namespaces/team-a/secrets',
    deadlineMs: 1,
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', finalizers: ['x/y'] } },
  });
  await call({ method: 'DELETE', path: '/api/v1/namespaces/team-a', deadlineMs: 1 });
  const { write, lines } = writerOn(call);
  t.doesNotThrow(() => write([event()]));
  await turn();
  t.same(events(), []);
  t.match(lines[0], /403/);
});

t.test('a message longer than an Event may have is cut', async (t) => {
  const { call, events } = createCluster();
  writerOn(call).write([event({ message: 'x'.repeat(5_000) })]);
  await turn();
  t.ok(String(events()[0]?.message).length <= 1_024);
});

t.test('what was written is not remembered for ever', async (t) => {
  let posts = 0;
  const { write } = writerOn(async () => {
    posts += 1;
    return { status: 201, body: {} };
  });
  write(Array.from({ length: 10_001 }, (_, index) => event({ key: `${index}` })));
  write([event({ key: '0' })]);
  await turn();
  t.equal(posts, 10_002, 'a 409 is cheaper than a leak');
});

const nameOf = async (given: EventToWrite): Promise<string> => {
  const { call, asked } = createCluster();
  writerOn(call).write([given]);
  await turn();
  const [sent] = asked;
  return sent ? (sent.body as KubeObject).metadata.name : 'nothing was sent';
};

t.test('the name of an Event is short, and the same in every version', async (t) => {
  t.match(await nameOf(event()), /^shop\.[0-9a-f]{16}$/);
  const long = await nameOf(event({ rds: { ...event().rds, name: 'n'.repeat(52) } }));
  t.equal(long.length, 40 + 1 + 16);
});

t.test('two transitions whose first hash is the same are two Events', async (t) => {
  const seen = new Map<number, string>();
  let pair: [string, string] | undefined;
  for (let index = 0; !pair; index += 1) {
    const key = `Busy/${index}`;
    const hash = hash32(`${UID}/${key}`);
    const before = seen.get(hash);
    if (before !== undefined) pair = [before, key];
    seen.set(hash, key);
  }
  const [one, other] = pair;
  t.not(await nameOf(event({ key: one })), await nameOf(event({ key: other })));
});

t.test('the name of an Event is a DNS name wherever the name of the Rds is cut', async (t) => {
  const name = `${'n'.repeat(39)}-suffix`;
  const made = await nameOf(event({ rds: { ...event().rds, name } }));
  t.match(made, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
});
