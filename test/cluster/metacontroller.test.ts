import { createServer } from 'node:http';
import t from 'tap';
import { request } from 'undici';
import { startControlPlane } from './control-plane.ts';
import { installCrds, metacontrollerHome, startMetacontroller } from './metacontroller.ts';
import { isAlive } from './service.ts';
import { waitFor } from './wait-for.ts';

t.test('an absent Metacontroller is told in a sentence', async (t) => {
  t.match(metacontrollerHome({}), { home: undefined, notice: /METACONTROLLER_HOME is not set.*local loop/ });
  const empty = t.testdir({});
  t.match(metacontrollerHome({ METACONTROLLER_HOME: empty }), {
    home: undefined,
    notice: /lacks metacontroller or/,
  });
});

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: boxes.test.example }
spec:
  group: test.example
  scope: Namespaced
  names: { plural: boxes, singular: box, kind: Box }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: { type: object, x-kubernetes-preserve-unknown-fields: true }
          status: { type: object, x-kubernetes-preserve-unknown-fields: true }
`;

const controller = (url: string) => `
apiVersion: metacontroller.k8s.io/v1alpha1
kind: CompositeController
metadata: { name: boxes }
spec:
  generateSelector: true
  parentResource: { apiVersion: test.example/v1, resource: boxes }
  childResources: [{ apiVersion: v1, resource: configmaps, updateStrategy: { method: InPlace } }]
  hooks: { sync: { version: v2, webhook: { url: "${url}/sync" } } }
`;

const { home, notice } = metacontrollerHome();

t.test('the real Metacontroller', { skip: notice ?? false }, async (t) => {
  const hook = createServer((req, res) => {
    req.resume().on('end', () => {
      const children = [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'child' }, data: { a: '1' } },
      ];
      res.end(JSON.stringify({ status: { phase: 'Ready' }, children }));
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  t.teardown(() => hook.close());
  const address = hook.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  const controlPlane = await startControlPlane();
  t.teardown(controlPlane.stop);
  const kube = controlPlane.client();
  await installCrds(controlPlane, CRD);
  const metacontroller = await startMetacontroller({ controlPlane, home: home ?? '', user: 'admin' });
  t.teardown(() => metacontroller.kill());
  await kube.applyYaml(controller(`http://127.0.0.1:${address.port}`));
  const box = (name: string) => ({
    apiVersion: 'test.example/v1',
    kind: 'Box',
    metadata: { name, namespace: 'default' },
  });
  const pathOf = (name: string) => `/apis/test.example/v1/namespaces/default/boxes/${name}`;

  t.test('calls the hook, writes the status and applies the child server-side', async (t) => {
    await kube.create(box('one'));
    const { status } = await kube.waitForObject(pathOf('one'), 'a status', (object) =>
      Boolean(object.status),
    );
    t.match(status, { phase: 'Ready', observedGeneration: 1 });
    const child = await kube.waitForObject(
      '/api/v1/namespaces/default/configmaps/child',
      'to be there',
      () => true,
    );
    t.match(child.metadata.managedFields, [{ manager: 'metacontroller', operation: 'Apply' }]);
    const { body } = await request(metacontroller.metricsUrl);
    t.match(await body.text(), /metacontroller_sync_requests_total\{[^}]*code="200"/);
  });

  t.test('goes on after it was killed and started again', async (t) => {
    const pid = metacontroller.pid() ?? 0;
    await metacontroller.kill();
    t.notOk(isAlive(pid));
    await kube.delete(pathOf('one'));
    await kube.create(box('two'));
    await metacontroller.start();
    await kube.waitForObject(pathOf('two'), 'a status', (object) => Boolean(object.status));
    await metacontroller.stop();
    await waitFor('its end', () => metacontroller.pid() === undefined);
  });
});
