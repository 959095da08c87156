import t from 'tap';
import type { Evidence } from './evidence.ts';
import { harm, unfinished } from './oracles.ts';

const LIVING = '11111111-1111-4111-8111-111111111111';
const DELETED = '22222222-2222-4222-8222-222222222222';
const names = { living: 'chaos_db-001_111111111111', deleted: 'chaos_db-002_222222222222' };
const UP_TO_DATE = ['Ready', 'Synced'].map((type) => ({
  type,
  status: 'True',
  reason: 'Fine',
  observedGeneration: 3,
}));

/** Two Rds: one was enlarged and restarted, the other one deleted. Nothing is wrong. */
const good = (): Evidence => ({
  incarnations: [
    {
      name: 'db-001',
      uid: LIVING,
      spec: { volumesize: 50, flavorref: 'large' },
      grows: 1,
      flavors: 1,
      restarts: ['order-1'],
      isDeleted: false,
    },
    {
      name: 'db-002',
      uid: DELETED,
      spec: { volumesize: 40, flavorref: 'large' },
      grows: 0,
      flavors: 0,
      restarts: [],
      isDeleted: true,
    },
  ],
  objects: [
    {
      apiVersion: 'otc.mcsps.de/v1alpha1',
      kind: 'Rds',
      metadata: { name: 'db-001', namespace: 'chaos', uid: LIVING, generation: 3 },
      status: {
        phase: 'Ready',
        id: 'a',
        conditions: UP_TO_DATE,
        handled: { 'otc.mcsps.de/restart': 'order-1' },
      },
    },
  ],
  instances: [
    {
      id: 'a',
      name: names.living,
      status: 'ACTIVE',
      volumeGb: 50,
      flavor: 'large',
      tags: [{ key: 'rds-pilot-uid', value: LIVING }],
    },
  ],
  events: [
    { at: 1, kind: 'create', instanceId: 'a', name: names.living },
    { at: 2, kind: 'create', instanceId: 'b', name: names.deleted },
    { at: 3, kind: 'enlarge', instanceId: 'a', name: names.living },
    { at: 4, kind: 'restart', instanceId: 'a', name: names.living },
    { at: 9, kind: 'delete', instanceId: 'b', name: names.deleted },
  ],
  backups: [
    { id: 'f', name: 'final-222222222222-20260101000000-1', instanceId: 'b', status: 'COMPLETED', endAt: 8 },
  ],
  passwords: { a: 'secret' },
  secrets: { 'db-001-connection': 'secret' },
});

const first = <T>(items: readonly T[]): T => items[0] as T;

t.test('nothing is wrong', async (t) => {
  t.same([...harm(good()), ...unfinished(good())], []);
});

type Plant = [told: RegExp, plant: (evidence: Evidence) => void];

const HARM: Plant[] = [
  [
    /two instances for one Rds: .* a at .* c at/,
    ({ events }) => events.push({ at: 5, kind: 'create', instanceId: 'c', name: names.living }),
  ],
  [
    /db-001 .*: 2 times restart, ordered 1 times/,
    ({ events }) => events.push({ at: 5, kind: 'restart', instanceId: 'a', name: names.living }),
  ],
  [
    /db-001 .*: 2 times enlarge, ordered 1 times/,
    ({ events }) => events.push({ at: 5, kind: 'enlarge', instanceId: 'a', name: names.living }),
  ],
  [
    /db-002 .*: 1 times resize, ordered 0 times/,
    ({ events }) => events.push({ at: 5, kind: 'resize', instanceId: 'b', name: names.deleted }),
  ],
  [
    /db-001 .*: 1 times delete, ordered 0 times/,
    ({ events, backups }) => {
      events.push({ at: 9, kind: 'delete', instanceId: 'a', name: names.living });
      backups.push({ ...first(backups), name: 'final-111111111111-20260101000000-1', instanceId: 'a' });
    },
  ],
  [/instance b was deleted before its final backup was complete/, ({ backups }) => backups.pop()],
  [
    /before its final backup was complete/,
    ({ backups }) => {
      first(backups).endAt = 10;
    },
  ],
  [
    /before its final backup was complete/,
    ({ backups }) => {
      first(backups).status = 'FAILED';
    },
  ],
];

const UNFINISHED: Plant[] = [
  [
    /instance chaos_db-002_222222222222 b .* has no Rds/,
    ({ instances }) => instances.push({ ...first(instances), id: 'b', name: names.deleted }),
  ],
  [
    /instance by-hand c .* has no Rds/,
    ({ instances }) => instances.push({ ...first(instances), id: 'c', name: 'by-hand' }),
  ],
  [
    /db-002 .*: deleted, and still there/,
    ({ objects }) => objects.push({ ...first(objects), metadata: { name: 'db-002', uid: DELETED } }),
  ],
  [/db-001 .*: the Rds is gone/, ({ objects }) => objects.pop()],
  [/there is no instance/, ({ instances }) => instances.pop()],
  [
    /Ready, Ready=True/,
    ({ objects }) => {
      first(objects).metadata.generation = 4;
    },
  ],
  [
    /Changing, /,
    ({ objects }) => {
      first(objects).status = { ...first(objects).status, phase: 'Changing' };
    },
  ],
  [
    /status.id is z/,
    ({ objects, passwords }) => {
      first(objects).status = { ...first(objects).status, id: 'z' };
      passwords.z = 'secret';
    },
  ],
  [
    /the instance is FROZEN/,
    ({ instances }) => {
      first(instances).status = 'FROZEN';
    },
  ],
  [
    /60 GB, not 50/,
    ({ instances }) => {
      first(instances).volumeGb = 60;
    },
  ],
  [
    /small, not large/,
    ({ instances }) => {
      first(instances).flavor = 'small';
    },
  ],
  [/no tag of its Rds/, ({ instances }) => first(instances).tags.pop()],
  [
    /restart order-1 was not carried out/,
    ({ objects }) => {
      first(objects).status = { ...first(objects).status, handled: {} };
    },
  ],
  [/restart order-1 was not carried out/, ({ events }) => events.splice(3, 1)],
  [
    /does not open the database/,
    ({ secrets }) => {
      secrets['db-001-connection'] = 'another';
    },
  ],
];

for (const [oracle, judge, plants] of [
  ['harm', harm, HARM],
  ['unfinished', unfinished, UNFINISHED],
] as const) {
  for (const [index, [told, plant]] of plants.entries()) {
    t.test(`${oracle} ${index + 1}: ${told.source}`, async (t) => {
      const evidence = good();
      plant(evidence);
      const [violation, ...others] = judge(evidence);
      t.match(violation ?? '', told);
      if (!told.source.includes('no instance')) t.same(others, [], 'nothing else is blamed');
    });
  }
}
