// A hook that cannot trust, reach or use its API server: not ready with a sentence that names the fix, and no
// write to the cloud whatever it is asked.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import t, { type Test } from 'tap';
import { request } from 'undici';
import { startControlPlane } from '../cluster/control-plane.ts';
import { freePort } from '../cluster/free-port.ts';
import { type HookReplica, startHookReplica } from '../cluster/hook-replica.ts';
import { kubeconfig } from '../cluster/kubeconfig.ts';
import { startSimulatedCloud } from '../cluster/simulated-cloud.ts';
import { writesOf } from './cloud-state.ts';

t.setTimeout(1_200_000);

const parent = (status: Record<string, unknown>) => ({
  apiVersion: 'otc.mcsps.de/v1alpha1',
  kind: 'Rds',
  metadata: {
    name: 'shop',
    namespace: 'default',
    uid: '4bc725ab-a311-4bc7-8bc7-25aba3114bc7',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: { 'otc.mcsps.de/restart': 'now' },
  },
  spec: { password: 'Chang3-me_now' },
  status,
});

async function send(replica: HookReplica, path: string, body?: unknown, token = 'token') {
  const response = await request(`http://127.0.0.1:${replica.port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: response.statusCode, body: await response.body.json() };
}

t.test('a hook without a usable API server', async (t) => {
  const controlPlane = await startControlPlane();
  t.teardown(controlPlane.stop);
  const cloud = await startSimulatedCloud({ dir: controlPlane.dir, speed: 120 });
  t.teardown(() => cloud.service.stop(1_000));
  const { url, ca } = controlPlane;
  const { token } = controlPlane.user('rds-pilot');
  const config = (name: string, options: { url: string; ca: string; token: string }): string => {
    const path = join(controlPlane.dir, `${name}.kubeconfig`);
    writeFileSync(path, kubeconfig({ ...options, user: 'rds-pilot' }));
    return path;
  };
  const start = async (t: Test, name: string, path: string) => {
    const replica = await startHookReplica({
      controlPlane,
      name,
      hookToken: 'token',
      cloudEnv: cloud.env,
      env: { KUBECONFIG: path },
      readyPath: '/healthz',
    });
    t.teardown(() => replica.stop(2_000));
    return replica;
  };
  const [otherCa = ''] = rootCertificates;
  const cases: [name: string, config: { url: string; ca: string; token: string }, says: RegExp][] = [
    [
      'no-api-server',
      { url: `https://127.0.0.1:${await freePort()}`, ca, token },
      /does not answer.*KUBECONFIG/,
    ],
    ['wrong-ca', { url, ca: otherCa, token }, /certificate/],
    ['no-right', { url, ca, token }, /403.*get.*create.*leases/],
    ['wrong-token', { url, ca, token: 'nobody' }, /401.*leases/i],
  ];
  for (const [name, options, says] of cases) {
    t.test(name, async (t) => {
      const replica = await start(t, name, config(name, options));
      const ready = await send(replica, '/readyz');
      t.equal(ready.status, 503);
      t.match(JSON.stringify(ready.body), says);
      const before = writesOf(await cloud.calls());
      const fresh = await send(replica, '/sync', {
        parent: parent({}),
        children: {},
        related: {},
        finalizing: false,
      });
      t.match(
        fresh,
        { status: 503, body: { error: 'JournalUnavailable' } },
        'a 200 could erase what others know',
      );
      const known = { id: 'x', phase: 'Creating' };
      const told = await send(replica, '/sync', {
        parent: parent(known),
        children: {},
        related: {},
        finalizing: false,
      });
      t.match(told, { status: 200, body: { status: { id: 'x' } } }, 'an id that is known stays');
      t.match(JSON.stringify(told.body), /JournalUnavailable/);
      t.equal(writesOf(await cloud.calls()), before, 'no write to the cloud');
      const refused = await send(replica, '/sync', { parent: parent({}) }, 'wrong');
      t.equal(refused.status, 401);
    });
  }
});
