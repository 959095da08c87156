import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { createJournalStore } from '../../src/kube/journal.ts';
import { createOwnerLeases } from '../../src/kube/owner-lease.ts';
import { sweepJournals } from '../../src/kube/sweep.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import type { Journal } from '../../src/rds/journal.ts';
import { watchedCall } from './watched-call.ts';

const NOW = Date.parse('2026-11-16T08:00:00Z');
const HOUR = 3_600_000;
const ABOUT = { namespace: 'team-a', name: 'shop' };
const closedFor = (hours: number): Journal => ({ closed: { at: NOW - hours * HOUR, unknownPast: false } });

async function createCluster() {
  const api = createApiServer({
    clock: createVirtualClock(NOW),
    uid: seededUids(1),
    namespaces: ['rds-pilot', 'team-a'],
  });
  const watched = watchedCall(api.call);
  const store = createJournalStore({
    call: api.call,
    namespace: 'rds-pilot',
    nonce: seededUids(2),
    deadlineMs: 1_000,
  });
  const living = async (name: string, kind = 'Rds', plural = 'rdss'): Promise<string> => {
    const { body } = await api.call({
      method: 'POST',
      path: `/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/${plural}`,
      deadlineMs: 1_000,
      body: { apiVersion: 'otc.mcsps.de/v1alpha1', kind, metadata: { name }, spec: {} },
    });
    return (body as KubeObject).metadata.uid ?? '';
  };
  const leases = () =>
    api
      .dump()
      .filter(({ kind }) => kind === 'Lease')
      .map(({ metadata }) => metadata.name)
      .sort();
  const sweep = () => sweepJournals(watched.call, 'rds-pilot', NOW);
  return { ...watched, api, store, living, leases, sweep };
}

t.test('only what is closed for more than a day, and whose Rds is gone, is swept', async (t) => {
  const { store, living, leases, sweep } = await createCluster();
  const alive = await living('alive');
  await store.create('gone-long-ago', closedFor(25), ABOUT);
  await store.create('gone-lately', closedFor(23), ABOUT);
  await store.create('gone-a-day-ago', closedFor(24), ABOUT);
  await store.create('open', { id: 'i-1' }, ABOUT);
  await store.create(alive, closedFor(48), ABOUT);
  t.equal(await sweep(), 1);
  t.same(leases(), [`rds-${alive}`, 'rds-gone-a-day-ago', 'rds-gone-lately', 'rds-open'].sort());
});

t.test('the journal of an RdsBackup stays as long as the object does', async (t) => {
  const { store, living, leases, sweep } = await createCluster();
  const alive = await living('before', 'RdsBackup', 'rdsbackups');
  await store.create(alive, closedFor(48), ABOUT);
  await store.create('backup-gone-long-ago', closedFor(48), ABOUT);
  t.equal(await sweep(), 1);
  t.same(leases(), [`rds-${alive}`]);
});

t.test('a closed journal without anything to sweep costs one request', async (t) => {
  const { store, sweep, methods } = await createCluster();
  await store.create('gone-lately', closedFor(1), ABOUT);
  t.equal(await sweep(), 0);
  t.equal(methods(), 'GET');
});

t.test('Leases that are no journals, or that cannot be read, are left alone', async (t) => {
  const { api, store, leases, sweep } = await createCluster();
  await createOwnerLeases(api.call, 'rds-pilot', 1_000).take('abc123in01', 'uid');
  const held = await store.create('unreadable', closedFor(48), ABOUT);
  const lease = held?.lease;
  if (!lease) throw new Error('no Lease');
  await api.call({
    method: 'PUT',
    path: '/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-unreadable',
    deadlineMs: 1_000,
    body: {
      ...lease,
      metadata: {
        ...lease.metadata,
        annotations: { ...lease.metadata.annotations, 'otc.mcsps.de/journal': '{' },
      },
    },
  });
  t.equal(await sweep(), 0);
  t.equal(leases().length, 2);
});

t.test('when the Rds cannot be listed nothing is swept', async (t) => {
  const { store, leases, sweep, fail } = await createCluster();
  await store.create('gone-long-ago', closedFor(48), ABOUT);
  for (const status of [403, 500]) {
    fail('GET', (next) =>
      next({
        method: 'GET',
        path: '/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases?labelSelector=otc.mcsps.de/lease%3Djournal',
        deadlineMs: 1_000,
      }),
    );
    fail('GET', { status, body: {} });
    await t.rejects(sweep(), { message: new RegExp(`${status}`) });
    t.equal(leases().length, 1);
  }
});

t.test('a journal that changed since it was listed is not removed', async (t) => {
  const { store, leases, sweep, fail } = await createCluster();
  const held = await store.create('changing', closedFor(48), ABOUT);
  fail('DELETE', async (next) => {
    if (held) await store.swap(held, { ...held.journal, id: 'i-1' });
    const body = { preconditions: { resourceVersion: held?.lease.metadata.resourceVersion } };
    const path = '/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-changing';
    return next({ method: 'DELETE', path, body, deadlineMs: 1_000 });
  });
  await sweep();
  t.same(leases(), ['rds-changing']);
});

t.test('every delete names the version that was seen', async (t) => {
  const { store, sweep, asked } = await createCluster();
  const held = await store.create('gone-long-ago', closedFor(48), ABOUT);
  await sweep();
  t.same(asked.find(({ method }) => method === 'DELETE')?.body, {
    preconditions: { resourceVersion: held?.lease.metadata.resourceVersion },
  });
});
