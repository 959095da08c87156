// Processes die, are edited, locked out or cut off, while databases are on their way. Each runs alone.
import { READY, rds, type Scenario } from '../scenario.ts';

const CREATE = { service: 'rds', method: 'POST', path: '/v3/{project}/instances' } as const;
const MANY = Array.from({ length: 50 }, (_, index) => `many-${String(index + 1).padStart(2, '0')}`);

export const disturbances: Scenario[] = [
  {
    name: 'replica-killed',
    title:
      'a replica killed between the effect of the create and its answer: the other one finds the instance',
    exclusive: true,
    steps: [
      { do: 'fault', fault: { match: CREATE, kind: 'slow', delayMs: 6_000 } },
      { do: 'apply', objects: [rds('shop')] },
      { do: 'waitCloud', name: 'shop', now: 1 },
      { do: 'killReplicaOf', name: 'shop' },
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'startReplicas' },
    ],
    cloud: { shop: { created: 1, now: 1, tagged: true } },
  },
  {
    name: 'hook-down',
    title: 'the hook is away for a while: an Rds waits, Events tell, and it becomes Ready afterwards',
    exclusive: true,
    steps: [
      { do: 'killReplicas' },
      { do: 'apply', objects: [rds('shop')] },
      { do: 'waitEvent', type: 'Warning', reason: 'SyncError' },
      { do: 'startReplicas' },
      { do: 'waitRds', name: 'shop', until: READY },
    ],
    cloud: { shop: { created: 1, now: 1, tagged: true } },
  },
  {
    name: 'loop-restarted',
    title: 'the loop is killed while the answer to a create is on the way, and started again',
    exclusive: true,
    steps: [
      { do: 'holdAnswer', name: 'shop', phase: 'Creating' },
      { do: 'apply', objects: [rds('shop')] },
      { do: 'waitHeld' },
      { do: 'killEngine' },
      { do: 'release' },
      { do: 'startEngine' },
      { do: 'waitRds', name: 'shop', until: READY },
    ],
    cloud: { shop: { created: 1, now: 1, tagged: true } },
  },
  {
    name: 'wrong-token',
    title: 'with a wrong hook token nothing reaches the cloud, Events tell, and the right one heals it',
    exclusive: true,
    steps: [
      { do: 'hookToken', token: 'wrong' },
      { do: 'pause', ms: 1000 },
      { do: 'markCloud' },
      { do: 'apply', objects: [rds('shop')] },
      { do: 'waitEvent', type: 'Warning', reason: 'SyncError', message: '401' },
      { do: 'pause', ms: 1000 },
      { do: 'expectNoCloudCall' },
      { do: 'hookToken', token: 'right' },
      { do: 'waitRds', name: 'shop', until: READY },
    ],
    cloud: { shop: { created: 1, now: 1, tagged: true } },
  },
  {
    name: 'no-leases',
    title: 'without the right to Leases nothing is written to the cloud, and the condition says so',
    exclusive: true,
    given: [rds('shop')],
    steps: [
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'leaseRights', granted: false },
      { do: 'markCloud' },
      { do: 'annotate', name: 'shop', annotations: { 'otc.mcsps.de/restart': 'now' } },
      {
        do: 'waitRds',
        name: 'shop',
        until: { id: 'set', conditions: ['Synced=Unknown/JournalUnavailable'] },
      },
      { do: 'waitEvent', type: 'Warning', reason: 'JournalUnavailable' },
      { do: 'apply', objects: [rds('late')] },
      { do: 'waitEvent', type: 'Warning', reason: 'SyncError', message: '503' },
      { do: 'expectNoCloudWrite' },
      { do: 'leaseRights', granted: true },
      { do: 'waitRds', name: 'late', until: READY },
      { do: 'waitRds', name: 'shop', until: { ...READY, handled: { 'otc.mcsps.de/restart': 'now' } } },
    ],
    cloud: {
      shop: { created: 1, now: 1, restarts: 1, tagged: true },
      late: { created: 1, now: 1, tagged: true },
    },
  },
  {
    name: 'edited-controller',
    title: 'the CompositeController is edited again and again while 50 creates are on the way: 50 instances',
    exclusive: true,
    alike: 'many-[0-9]+',
    given: MANY.map((name) => rds(name)),
    steps: [
      { do: 'editController', times: 8, everyMs: 500 },
      ...MANY.map((name) => ({ do: 'waitRds' as const, name, until: READY })),
    ],
    cloud: Object.fromEntries(MANY.map((name) => [name, { created: 1, now: 1, tagged: true }])),
  },
];
