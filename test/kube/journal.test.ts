import t from 'tap';
import type { KubeCall, KubeObject } from '../../src/kube/api.ts';
import {
  createJournalStore,
  type HeldJournal,
  JOURNAL_LABEL,
  JournalUnavailable,
} from '../../src/kube/journal.ts';
import { createMemoryLeases } from '../../src/kube/memory-leases.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import type { Journal } from '../../src/rds/journal.ts';
import { watchedCall } from './watched-call.ts';

const UID = '4bc725ab-a311-4c18-92e7-ba4969369b55';
const ABOUT = { namespace: 'team-a', name: 'shop' };
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases';
const LEASE = `${LEASES}/rds-${UID}`;

const createFullApi = (): KubeCall =>
  createApiServer({
    clock: createVirtualClock(Date.parse('2026-11-16T08:00:00Z')),
    uid: seededUids(1),
    namespaces: ['rds-pilot'],
  }).call;

function storeOn(inner: KubeCall) {
  const watched = watchedCall(inner);
  const store = createJournalStore({
    call: watched.call,
    namespace: 'rds-pilot',
    nonce: seededUids(7),
    deadlineMs: 3_000,
  });
  return { ...watched, store };
}

function must(held: HeldJournal | undefined): HeldJournal {
  if (!held) throw new Error('expected a journal');
  return held;
}

const put = async (call: KubeCall, change: (lease: KubeObject) => void) => {
  const { body } = await call({ method: 'GET', path: LEASE, deadlineMs: 1_000 });
  const lease = body as KubeObject;
  change(lease);
  return call({ method: 'PUT', path: LEASE, body: lease, deadlineMs: 1_000 });
};

const worlds: Record<string, () => KubeCall> = {
  'memory Leases': createMemoryLeases,
  'an API server': createFullApi,
};

for (const [where, createInner] of Object.entries(worlds)) {
  t.test(`on ${where}`, async (t) => {
    t.test('a journal that was never made is undefined', async (t) => {
      t.equal(await storeOn(createInner()).store.read(UID), undefined);
    });

    t.test('what was written is read again', async (t) => {
      const { store } = storeOn(createInner());
      const made = must(await store.create(UID, {}, ABOUT));
      t.same(made.journal, {});
      const journal: Journal = { op: { kind: 'create', key: 'k', seq: 1, at: 5 }, createClaimedAt: 5 };
      t.same(must(await store.swap(made, journal)).journal, journal);
      const read = must(await store.read(UID));
      t.same(read.journal, journal);
      t.equal(read.lease.metadata.name, `rds-${UID}`);
      t.equal(read.lease.metadata.labels?.[JOURNAL_LABEL], 'journal', 'the sweep finds it');
      t.equal(
        read.lease.metadata.annotations?.['otc.mcsps.de/rds'],
        'team-a/shop',
        'a person knows whose it is',
      );
    });

    t.test('a swap gives what the next swap needs', async (t) => {
      const { store } = storeOn(createInner());
      const first = must(await store.create(UID, {}, ABOUT));
      const second = must(await store.swap(first, { id: 'i-1' }));
      t.same(must(await store.swap(second, { id: 'i-1', adopted: true })).journal, {
        id: 'i-1',
        adopted: true,
      });
    });

    t.test('the second of two creates loses and changes nothing', async (t) => {
      const { store } = storeOn(createInner());
      await store.create(UID, { id: 'i-1' }, ABOUT);
      t.equal(await store.create(UID, {}, ABOUT), undefined);
      t.same(must(await store.read(UID)).journal, { id: 'i-1' });
    });

    t.test('a swap on an old version loses, and is not tried again', async (t) => {
      const { store, methods } = storeOn(createInner());
      const old = must(await store.create(UID, {}, ABOUT));
      await store.swap(old, { id: 'i-1' });
      t.equal(await store.swap(old, { id: 'i-2' }), undefined);
      t.equal(methods(), 'POST PUT PUT', 'one request per swap, no look in between');
      t.same(must(await store.read(UID)).journal, { id: 'i-1' });
    });

    t.test('of swaps at the same time exactly one wins', async (t) => {
      const { store } = storeOn(createInner());
      const held = must(await store.create(UID, {}, ABOUT));
      const results = await Promise.all(['a', 'b', 'c', 'd'].map((id) => store.swap(held, { id })));
      const winners = results.filter((one) => one !== undefined);
      t.equal(winners.length, 1);
      t.same(must(await store.read(UID)).journal, winners[0]?.journal);
    });

    t.test('of creates at the same time exactly one wins', async (t) => {
      const { store } = storeOn(createInner());
      const results = await Promise.all(['a', 'b', 'c'].map((id) => store.create(UID, { id }, ABOUT)));
      t.equal(results.filter((one) => one !== undefined).length, 1);
    });

    t.test('a create whose answer was lost after it worked is won by its nonce', async (t) => {
      const { store, fail, methods } = storeOn(createInner());
      fail('POST', 'lostAfter');
      const made = must(await store.create(UID, { id: 'i-1' }, ABOUT));
      t.same(made.journal, { id: 'i-1' });
      t.equal(methods(), 'POST GET', 'looked up, not repeated');
      t.ok(await store.swap(made, { id: 'i-1', adopted: true }), 'and it can be swapped on');
    });

    t.test('a create that never arrived is told as unavailable, and not repeated', async (t) => {
      const { store, fail, methods } = storeOn(createInner());
      fail('POST', 'lostBefore');
      await t.rejects(store.create(UID, {}, ABOUT), JournalUnavailable);
      t.equal(methods(), 'POST GET');
      t.equal(await store.read(UID), undefined);
    });

    t.test('a create that was lost while another one worked is lost', async (t) => {
      const inner = createInner();
      const other = storeOn(inner).store;
      const { store, fail } = storeOn(watchedCall(inner).call);
      await other.create(UID, { id: 'theirs' }, ABOUT);
      await put(inner, ({ metadata }) => {
        metadata.annotations = { ...metadata.annotations, 'otc.mcsps.de/nonce': 'theirs' };
      });
      fail('POST', 'lostBefore');
      t.equal(await store.create(UID, { id: 'ours' }, ABOUT), undefined);
      t.same(must(await store.read(UID)).journal, { id: 'theirs' });
    });

    t.test('a swap whose answer was lost after it worked is won by its nonce', async (t) => {
      const { store, fail, methods } = storeOn(createInner());
      const held = must(await store.create(UID, {}, ABOUT));
      fail('PUT', 'lostAfter');
      const swapped = must(await store.swap(held, { id: 'i-1' }));
      t.same(swapped.journal, { id: 'i-1' });
      t.equal(methods(), 'POST PUT GET');
      t.ok(await store.swap(swapped, { id: 'i-1', adopted: true }), 'with the version that it got');
    });

    t.test('a swap that never arrived is lost, and never sent again', async (t) => {
      const { store, fail, methods } = storeOn(createInner());
      const held = must(await store.create(UID, {}, ABOUT));
      fail('PUT', 'lostBefore');
      t.equal(await store.swap(held, { id: 'i-1' }), undefined);
      t.equal(methods(), 'POST PUT GET');
      t.same(must(await store.read(UID)).journal, {});
    });

    t.test('a swap that worked, was not answered and was overtaken is lost', async (t) => {
      const inner = createInner();
      const other = storeOn(inner).store;
      const { store, fail } = storeOn(inner);
      const held = must(await store.create(UID, {}, ABOUT));
      fail('PUT', async (next) => {
        const { body } = await next({ method: 'GET', path: LEASE, deadlineMs: 1_000 });
        const lease = body as KubeObject;
        await next({
          method: 'PUT',
          path: LEASE,
          deadlineMs: 1_000,
          body: {
            ...lease,
            metadata: {
              ...lease.metadata,
              annotations: { ...lease.metadata.annotations, 'otc.mcsps.de/nonce': 'x' },
            },
          },
        });
        return { status: 504, body: {} };
      });
      t.equal(await store.swap(held, { id: 'i-1' }), undefined, 'C2: won only if a re-read shows our nonce');
      t.ok(await other.read(UID));
    });

    t.test('two calls have two nonces, also for the same content', async (t) => {
      const { store } = storeOn(createInner());
      const held = must(await store.create(UID, {}, ABOUT));
      const next = must(await store.swap(held, {}));
      const nonce = (one: HeldJournal) => one.lease.metadata.annotations?.['otc.mcsps.de/nonce'];
      t.ok(nonce(held));
      t.not(nonce(held), nonce(next));
    });

    t.test('no answer to the write and none to the look-up: unavailable', async (t) => {
      for (const fault of ['lostBefore', 'lostAfter'] as const) {
        const { store, fail } = storeOn(createInner());
        const held = must(await store.create(UID, {}, ABOUT));
        fail('PUT', fault);
        fail('GET', 'lostBefore');
        await t.rejects(store.swap(held, { id: 'i-1' }), JournalUnavailable, fault);
      }
    });

    t.test('a server error on a write is settled like a lost answer', async (t) => {
      for (const status of [429, 500, 502, 503, 504]) {
        const { store, fail, methods } = storeOn(createInner());
        const held = must(await store.create(UID, {}, ABOUT));
        fail('PUT', { status, body: {} });
        t.equal(await store.swap(held, { id: 'i-1' }), undefined, `${status}`);
        t.equal(methods(), 'POST PUT GET', `${status}`);
      }
    });

    t.test('a server error on a read is unavailable', async (t) => {
      for (const status of [429, 500, 503]) {
        const { store, fail } = storeOn(createInner());
        fail('GET', { status, body: { message: 'etcd is away' } });
        await t.rejects(store.read(UID), { name: 'JournalUnavailable', message: new RegExp(`${status}`) });
      }
      const { store, fail } = storeOn(createInner());
      fail('GET', 'lostBefore');
      await t.rejects(store.read(UID), { name: 'JournalUnavailable', message: /connection refused/ });
    });

    t.test('a missing right is told with the verbs and the namespace', async (t) => {
      const want = {
        name: 'JournalUnavailable',
        message: /get, create, update and delete on leases in namespace rds-pilot/,
      };
      for (const status of [401, 403]) {
        const { store, fail, methods } = storeOn(createInner());
        fail('GET', { status, body: {} });
        await t.rejects(store.read(UID), want);
        fail('POST', { status, body: {} });
        await t.rejects(store.create(UID, {}, ABOUT), want);
        t.equal(methods(), 'GET POST', 'a definite no needs no look-up');
        const held = must(await store.create(UID, {}, ABOUT));
        fail('PUT', { status, body: {} });
        await t.rejects(store.swap(held, {}), want);
      }
    });

    t.test('an answer that nobody expects is told with its words', async (t) => {
      const { store, fail } = storeOn(createInner());
      fail('POST', { status: 422, body: { message: 'spec is invalid' } });
      await t.rejects(store.create(UID, {}, ABOUT), {
        name: 'JournalUnavailable',
        message: /422 spec is invalid/,
      });
      fail('GET', { status: 302, body: undefined });
      await t.rejects(store.read(UID), { name: 'JournalUnavailable', message: /302/ });
    });

    t.test('a Lease that cannot be read is unavailable, never an empty journal', async (t) => {
      const inner = createInner();
      const { store } = storeOn(inner);
      await store.create(UID, { id: 'i-1' }, ABOUT);
      for (const text of ['{', 'not json', '']) {
        await put(inner, ({ metadata }) => {
          metadata.annotations = { ...metadata.annotations, 'otc.mcsps.de/journal': text };
        });
        await t.rejects(store.read(UID), JournalUnavailable, JSON.stringify(text));
      }
      await put(inner, ({ metadata }) => {
        metadata.annotations = { other: 'x' };
      });
      await t.rejects(store.read(UID), { name: 'JournalUnavailable', message: new RegExp(`rds-${UID}`) });
    });

    t.test('a journal that is JSON and not a journal is unavailable, too', async (t) => {
      const inner = createInner();
      const { store } = storeOn(inner);
      await store.create(UID, { id: 'i-1' }, ABOUT);
      for (const text of ['null', '[]', '7', '"x"']) {
        await put(inner, ({ metadata }) => {
          metadata.annotations = { ...metadata.annotations, 'otc.mcsps.de/journal': text };
        });
        await t.rejects(store.read(UID), JournalUnavailable, text);
      }
    });

    t.test('a Lease removed under a swap is a lost swap', async (t) => {
      const inner = createInner();
      const { store } = storeOn(inner);
      const held = must(await store.create(UID, {}, ABOUT));
      await inner({ method: 'DELETE', path: LEASE, deadlineMs: 1_000 });
      t.equal(await store.swap(held, { id: 'i-1' }), undefined);
      t.equal(await store.read(UID), undefined);
    });

    t.test('every request has the deadline that was given', async (t) => {
      const { store, asked } = storeOn(createInner());
      await store.swap(must(await store.create(UID, {}, ABOUT)), {});
      await store.read(UID);
      for (const { deadlineMs } of asked) t.equal(deadlineMs, 3_000);
    });
  });
}

t.test('an answer that is not a Lease wins nothing on any path', async (t) => {
  const { store, fail } = storeOn(createMemoryLeases());
  const held = must(await store.create(UID, {}, ABOUT));
  fail('GET', { status: 200, body: { message: '<html>' } });
  await t.rejects(store.read(UID), JournalUnavailable);
  fail('PUT', { status: 200, body: { message: '<html>' } });
  await t.rejects(store.swap(held, {}), JournalUnavailable);
  fail('PUT', 'lostBefore');
  fail('GET', { status: 200, body: { message: '<html>' } });
  t.equal(await store.swap(held, {}), undefined, 'C2: won only if a re-read shows our nonce');
});

t.test('a namespace that does not exist is told, not taken for a lost race', async (t) => {
  const { store } = storeOn(
    createApiServer({ clock: createVirtualClock(0), uid: seededUids(1), namespaces: ['default'] }).call,
  );
  t.equal(await store.read(UID), undefined);
  await t.rejects(store.create(UID, {}, ABOUT), { name: 'JournalUnavailable', message: /rds-pilot/ });
});

t.test('two installs in two namespaces share no journal', async (t) => {
  const call = createMemoryLeases();
  const storeIn = (namespace: string) =>
    createJournalStore({ call, namespace, nonce: seededUids(1), deadlineMs: 1_000 });
  await storeIn('one').create(UID, { id: 'i-1' }, ABOUT);
  t.equal(await storeIn('two').read(UID), undefined, 'which is why the docs ask for one Lease namespace');
});
