import t from 'tap';
import { KubeUnreachable } from '../../src/kube/api.ts';
import { createReadLive, createReadLiveBackup, requestIsLive } from '../../src/kube/live.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import { rdsCrd } from '../../src/rds/crd.ts';
import type { Rds } from '../../src/rds/object.ts';
import { watchedCall } from './watched-call.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const RDSS = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss';

const rds: Rds = {
  metadata: {
    name: 'shop',
    namespace: 'team-a',
    uid: 'from-the-request',
    generation: 1,
    resourceVersion: '1',
    creationTimestamp: '2026-11-16T08:00:00Z',
  },
  spec: {},
};

async function createCluster() {
  const api = createApiServer({
    clock: createVirtualClock(Date.parse('2026-11-16T08:00:00Z')),
    uid: seededUids(1),
    namespaces: ['team-a'],
    collectAfterMs: 60_000,
  });
  const watched = watchedCall(api.call);
  const send = (method: 'POST' | 'DELETE', path: string, body?: unknown) =>
    api.call({ method, path, body, deadlineMs: 1_000 });
  await send('POST', CRDS, rdsCrd());
  await send('POST', RDSS, {
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'Rds',
    metadata: { name: 'shop', finalizers: ['metacontroller.io/compositecontroller-rds'] },
    spec: { volumesize: 70 },
  });
  return { ...watched, send, readLive: createReadLive(watched.call, 2_500) };
}

t.test('the Rds is read as it is now, past the request', async (t) => {
  const { readLive, asked } = await createCluster();
  const live = await readLive(rds, { surroundings: false });
  t.not(live.rds?.metadata.uid, rds.metadata.uid, 'whether it is the same one is for the caller to see');
  t.equal(live.rds?.spec.volumesize, 70);
  t.match(live, { namespaceTerminating: false, crdTerminating: false });
  t.same(
    asked.map(({ method, path, deadlineMs }) => ({ method, path, deadlineMs })),
    [{ method: 'GET', path: `${RDSS}/shop`, deadlineMs: 2_500 }],
    'the surroundings are read only when asked for',
  );
});

t.test('a delete shows at once', async (t) => {
  const { readLive, send } = await createCluster();
  await send('DELETE', `${RDSS}/shop`);
  const live = await readLive(rds, { surroundings: true });
  t.type(live.rds?.metadata.deletionTimestamp, 'string');
  t.match(live, { namespaceTerminating: false, crdTerminating: false });
});

t.test('an Rds that is gone is undefined', async (t) => {
  const { readLive } = await createCluster();
  const gone = { ...rds, metadata: { ...rds.metadata, name: 'gone' } };
  t.equal((await readLive(gone, { surroundings: false })).rds, undefined);
});

t.test('a namespace or a CRD on its way out is seen', async (t) => {
  const one = await createCluster();
  await one.send('DELETE', '/api/v1/namespaces/team-a');
  t.match(await one.readLive(rds, { surroundings: true }), {
    namespaceTerminating: true,
    crdTerminating: false,
  });
  const other = await createCluster();
  other.fail('GET', (next) => next({ method: 'GET', path: `${RDSS}/shop`, deadlineMs: 1 }));
  other.fail('GET', (next) => next({ method: 'GET', path: '/api/v1/namespaces/team-a', deadlineMs: 1 }));
  other.fail('GET', async () => ({
    status: 200,
    body: { metadata: { deletionTimestamp: '2026-11-16T08:00:00Z' } },
  }));
  t.match(await other.readLive(rds, { surroundings: true }), {
    namespaceTerminating: false,
    crdTerminating: true,
  });
});

t.test('what is already gone counts as going', async (t) => {
  const { readLive, fail } = await createCluster();
  for (let count = 0; count < 3; count += 1) fail('GET', { status: 404, body: {} });
  t.same(await readLive(rds, { surroundings: true }), {
    rds: undefined,
    namespaceTerminating: true,
    crdTerminating: true,
  });
});

t.test('any other answer is no view at all', async (t) => {
  for (const status of [401, 403, 429, 500, 503]) {
    const { readLive, fail } = await createCluster();
    fail('GET', { status, body: {} });
    await t.rejects(readLive(rds, { surroundings: true }), {
      name: 'KubeUnreachable',
      message: new RegExp(`${status}`),
    });
  }
  const { readLive, fail } = await createCluster();
  fail('GET', 'lostBefore');
  await t.rejects(readLive(rds, { surroundings: false }), KubeUnreachable);
});

t.test('without an API server the request is the newest view there is', async (t) => {
  t.same(await requestIsLive(rds, { surroundings: true }), {
    rds,
    namespaceTerminating: false,
    crdTerminating: false,
  });
});

t.test('an RdsBackup is read live, too; a refused read is not taken for absence', async (t) => {
  const { call, send, fail } = await createCluster();
  const read = createReadLiveBackup(call, 2_500);
  const wanted = { metadata: { ...rds.metadata, name: 'before' }, spec: { rds: 'shop' } };
  t.equal(await read(wanted), undefined);
  await send('POST', RDSS.replace('rdss', 'rdsbackups'), {
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'RdsBackup',
    metadata: { name: 'before' },
    spec: { rds: 'other' },
  });
  t.equal((await read(wanted))?.spec.rds, 'other');
  fail('GET', { status: 403, body: {} });
  await t.rejects(read(wanted), KubeUnreachable);
});
