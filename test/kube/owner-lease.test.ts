import t from 'tap';
import { type KubeCall, KubeUnreachable } from '../../src/kube/api.ts';
import { JournalUnavailable } from '../../src/kube/journal.ts';
import { createMemoryLeases } from '../../src/kube/memory-leases.ts';
import { createOwnerLeases } from '../../src/kube/owner-lease.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import { watchedCall } from './watched-call.ts';

const ID = 'abc123in01';
const [OURS, THEIRS] = ['uid-of-ours', 'uid-of-theirs'];

const createFullApi = (): KubeCall =>
  createApiServer({ clock: createVirtualClock(0), uid: seededUids(1), namespaces: ['rds-pilot'] }).call;

function leasesOn(inner: KubeCall) {
  const watched = watchedCall(inner);
  return { ...watched, owners: createOwnerLeases(watched.call, 'rds-pilot', 3_000) };
}

const worlds: Record<string, () => KubeCall> = {
  'memory Leases': createMemoryLeases,
  'an API server': createFullApi,
};

for (const [where, createInner] of Object.entries(worlds)) {
  t.test(`on ${where}`, async (t) => {
    t.test('an instance belongs to the first who takes it', async (t) => {
      const { owners } = leasesOn(createInner());
      t.equal(await owners.take(ID, OURS), true);
      t.equal(await owners.take(ID, THEIRS), false);
      t.equal(await owners.take(ID, OURS), true, 'taking again what is ours is harmless');
      t.equal(await owners.take('another', THEIRS), true, 'other instances are free');
    });

    t.test('of two UIDs at the same time exactly one gets it', async (t) => {
      const { owners } = leasesOn(createInner());
      const got = await Promise.all([owners.take(ID, OURS), owners.take(ID, THEIRS)]);
      t.same(got.sort(), [false, true]);
    });

    t.test('a lost answer is no yes; the next call finds out', async (t) => {
      for (const fault of ['lostBefore', 'lostAfter'] as const) {
        const { owners, fail } = leasesOn(createInner());
        fail('POST', fault);
        await t.rejects(owners.take(ID, OURS), KubeUnreachable, fault);
        t.equal(await owners.take(ID, OURS), true, `${fault}: ours at the second try`);
        t.equal(await owners.take(ID, THEIRS), false);
      }
    });

    t.test('what is let go can be taken by another', async (t) => {
      const { owners } = leasesOn(createInner());
      await owners.take(ID, OURS);
      await owners.drop(ID, THEIRS);
      t.equal(await owners.take(ID, THEIRS), false, 'nobody drops what is not his');
      await owners.drop(ID, OURS);
      await owners.drop(ID, OURS);
      t.equal(await owners.take(ID, THEIRS), true);
    });

    t.test('a refusal of the API server is told', async (t) => {
      const { owners, fail } = leasesOn(createInner());
      for (const status of [403, 500]) {
        fail('POST', { status, body: {} });
        await t.rejects(owners.take(ID, OURS), {
          name: 'JournalUnavailable',
          message: new RegExp(`${status}`),
        });
      }
      await owners.take(ID, OURS);
      fail('GET', { status: 503, body: {} });
      await t.rejects(owners.take(ID, OURS), JournalUnavailable, 'whose it is cannot be read');
      fail('GET', { status: 403, body: {} });
      await t.rejects(owners.drop(ID, OURS), JournalUnavailable);
    });

    t.test('a Lease without an owner belongs to nobody who asks', async (t) => {
      const inner = createInner();
      const { owners } = leasesOn(inner);
      await inner({
        method: 'POST',
        path: '/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases',
        deadlineMs: 1_000,
        body: {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: `rds-instance-${ID}` },
        },
      });
      t.equal(await owners.take(ID, OURS), false);
    });
  });
}

t.test(
  'an owner Lease that could not be removed is told, else nobody can ever adopt the instance',
  async (t) => {
    for (const status of [403, 500]) {
      const { owners, fail } = leasesOn(createMemoryLeases());
      await owners.take(ID, OURS);
      fail('DELETE', { status, body: {} });
      await t.rejects(owners.drop(ID, OURS), JournalUnavailable, `${status}`);
    }
  },
);

t.test('a slow drop does not remove the Lease of the next owner', async (t) => {
  const { owners, fail, call } = leasesOn(createFullApi());
  await owners.take(ID, OURS);
  const path = `/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-instance-${ID}`;
  fail('GET', async (next) => {
    const seen = await next({ method: 'GET', path, deadlineMs: 1_000 });
    await next({ method: 'DELETE', path, deadlineMs: 1_000 });
    await createOwnerLeases(next, 'rds-pilot', 1_000).take(ID, THEIRS);
    return seen;
  });
  await owners.drop(ID, OURS).catch(() => {});
  t.equal((await call({ method: 'GET', path, deadlineMs: 1_000 })).status, 200);
});

t.test('a missing right on owner Leases is told with verb and namespace', async (t) => {
  const { owners, fail } = leasesOn(createMemoryLeases());
  fail('POST', { status: 403, body: {} });
  await t.rejects(owners.take(ID, OURS), { message: /leases in namespace rds-pilot/ });
});
