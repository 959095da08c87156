import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { createCensus } from '../../src/local/playground/census.ts';
import type { Backup } from '../../src/simulator/rds/types.ts';
import type { WorldEvent } from '../../src/simulator/world.ts';

const UID = '4bc725ab-a311-4f0e-9d54-0c6a1e2f3b47';
const NAME = 'team-a_shop_4bc725aba311';
const DELETED = '2026-11-16T02:41:55Z';

const event = (kind: string, instanceId: string, at: number, name = NAME): WorldEvent => ({
  kind,
  instanceId,
  at,
  name,
});
const saved = (status: string) =>
  ({ name: 'final-4bc725aba311-20261116024155-1', status }) as unknown as Backup;

const life = [event('create', 'a', 1), event('built', 'a', 2), event('deleted', 'a', 9)];

type Case = {
  because: string;
  events: WorldEvent[];
  deletionTimestamp?: string;
  annotations?: Record<string, string>;
  policy?: string;
  backups?: Backup[];
  doubled?: string[];
  lost?: string[];
};

const cases: Case[] = [
  { because: 'one instance', events: [event('create', 'a', 1)] },
  {
    because: 'two at the same time',
    events: [event('create', 'a', 1), event('create', 'b', 2)],
    doubled: [NAME],
  },
  {
    because: 'two at the same time, one of which is gone again',
    events: [event('create', 'a', 1), event('create', 'b', 2), event('deleted', 'b', 3)],
    deletionTimestamp: DELETED,
    policy: 'Delete',
    doubled: [NAME],
  },
  {
    because: 'one after the other, each wanted to go',
    events: [...life, event('create', 'b', 10)],
    deletionTimestamp: DELETED,
    policy: 'Delete',
  },
  { because: 'gone although nobody deleted the Rds', events: life, lost: [NAME] },
  { because: 'gone without a backup', events: life, deletionTimestamp: DELETED, lost: [NAME] },
  {
    because: 'gone with a backup that failed',
    events: life,
    deletionTimestamp: DELETED,
    backups: [saved('FAILED')],
    lost: [NAME],
  },
  {
    because: 'gone with its backup',
    events: life,
    deletionTimestamp: DELETED,
    backups: [saved('COMPLETED')],
  },
  {
    because: 'gone without a backup, as the user insisted',
    events: life,
    deletionTimestamp: DELETED,
    annotations: { 'otc.mcsps.de/force-delete': 'true' },
  },
  { because: 'gone as ordered', events: life, deletionTimestamp: DELETED, policy: 'Delete' },
  {
    because: 'gone although it was to be kept',
    events: life,
    deletionTimestamp: DELETED,
    policy: 'Retain',
    lost: [NAME],
  },
  { because: 'instances of others', events: life.map((one) => ({ ...one, name: 'somebody' })) },
];

for (const { because, events, backups = [], doubled = [], lost = [], ...rds } of cases)
  t.test(because, async (t) => {
    const census = createCensus();
    const { policy, ...metadata } = rds;
    const object: KubeObject = {
      apiVersion: 'otc.mcsps.de/v1alpha1',
      kind: 'Rds',
      metadata: { name: 'shop', namespace: 'team-a', uid: UID, ...metadata },
      spec: policy ? { deletionPolicy: policy } : {},
    };
    census.onChange({ type: 'ADDED', object });
    t.same(census.count(events, backups), { doubled, lost });
    t.same(census.count(events, []), { doubled, lost }, 'and stays so when the backups go later');
  });
