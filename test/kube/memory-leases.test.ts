import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { createMemoryLeases } from '../../src/kube/memory-leases.ts';

const collection = '/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases';
const lease = (more: object = {}) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a', ...more },
});

t.test('what is given out is a copy: nobody changes a stored Lease by accident', async (t) => {
  const call = createMemoryLeases();
  const { body } = await call({ method: 'POST', path: collection, body: lease(), deadlineMs: 1 });
  (body as KubeObject).metadata.annotations = { changed: 'yes' };
  const read = await call({ method: 'GET', path: `${collection}/a`, deadlineMs: 1 });
  t.equal((read.body as KubeObject).metadata.annotations, undefined);
});

t.test('every write has a new version, and only the newest may be replaced', async (t) => {
  const call = createMemoryLeases();
  const path = `${collection}/a`;
  const made = await call({ method: 'POST', path: collection, body: lease(), deadlineMs: 1 });
  const { resourceVersion = '' } = (made.body as KubeObject).metadata;
  const replace = () => call({ method: 'PUT', path, body: lease({ resourceVersion }), deadlineMs: 1 });
  t.equal((await replace()).status, 200);
  t.equal((await replace()).status, 409);
  t.equal(
    (await call({ method: 'PUT', path, body: lease(), deadlineMs: 1 })).status,
    409,
    'no version, no write',
  );
  t.equal((await call({ method: 'DELETE', path, deadlineMs: 1 })).status, 200);
  t.equal((await call({ method: 'GET', path, deadlineMs: 1 })).status, 404);
  t.equal((await call({ method: 'PUT', path, body: lease({ resourceVersion }), deadlineMs: 1 })).status, 404);
});
