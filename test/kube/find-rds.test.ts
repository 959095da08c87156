import t from 'tap';
import { type KubeCall, type KubeObject, KubeUnreachable } from '../../src/kube/api.ts';
import { createFindRds } from '../../src/kube/find-rds.ts';
import { createJournalStore } from '../../src/kube/journal.ts';
import { createNudge, nudgeMark } from '../../src/kube/nudge.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import type { Rds } from '../../src/rds/object.ts';

const RDSS = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss';
const DEADLINE_MS = 1_000;

function createCluster() {
  const api = createApiServer({
    clock: createVirtualClock(Date.parse('2026-11-16T08:00:00Z')),
    uid: seededUids(1),
    namespaces: ['rds-pilot', 'team-a'],
  });
  const failing = { status: 0 };
  const call: KubeCall = async (request) =>
    failing.status > 0 && request.path.startsWith(RDSS)
      ? { status: failing.status, body: {} }
      : api.call(request);
  const journal = createJournalStore({
    call,
    namespace: 'rds-pilot',
    nonce: seededUids(2),
    deadlineMs: DEADLINE_MS,
  });
  const find = createFindRds(journal, call, DEADLINE_MS);
  return {
    failing,
    journal,
    find,
    nudge: createNudge(find, call, DEADLINE_MS),
    async add(): Promise<string> {
      const body = { apiVersion: 'otc.mcsps.de/v1alpha1', kind: 'Rds', metadata: { name: 'shop' }, spec: {} };
      const made = await api.call({ method: 'POST', path: RDSS, body, deadlineMs: DEADLINE_MS });
      return (made.body as KubeObject).metadata.uid ?? '';
    },
    remove: () => api.call({ method: 'DELETE', path: `${RDSS}/shop`, deadlineMs: DEADLINE_MS }),
  };
}

const ABOUT = { namespace: 'team-a', name: 'shop' };

t.test('an Rds is found by its UID, with the topic that its journal notes', async (t) => {
  const { journal, find, add } = createCluster();
  const uid = await add();
  t.equal(await find(uid), undefined, 'no journal yet');
  await journal.create(uid, { topicUrn: 'urn:x' }, ABOUT);
  t.match(await find(uid), { rds: { metadata: { uid, name: 'shop' } }, topicUrn: 'urn:x' });
});

t.test('what has the name by now is not what had the UID', async (t) => {
  const { journal, find, nudge, add, remove } = createCluster();
  const uid = await add();
  await journal.create(uid, {}, ABOUT);
  const before = (await find(uid))?.rds as Rds;
  await remove();
  t.equal(await find(uid), undefined, 'gone');
  t.equal(await nudge(before, nudgeMark(1, 'a')), 'gone');
  const next = await add();
  t.not(next, uid);
  t.equal(await find(uid), undefined, 'another one');
  t.equal(await nudge(before, nudgeMark(1, 'a')), 'gone', 'it is not touched either');
});

t.test('an API server that fails is not an Rds that is missing', async (t) => {
  const { failing, journal, find, nudge, add } = createCluster();
  const uid = await add();
  await journal.create(uid, {}, ABOUT);
  const { rds } = (await find(uid)) ?? {};
  for (const status of [403, 500]) {
    failing.status = status;
    await t.rejects(find(uid), KubeUnreachable);
    await t.rejects(nudge(rds as Rds, nudgeMark(1, 'a')), KubeUnreachable);
  }
});
