import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { bytesOf } from '../../src/local/pods/container-process.ts';
import type { Container, Pod } from '../../src/local/pods/types.ts';
import { startControlPlane } from './control-plane.ts';
import { startPodRunner } from './pod-runner.ts';
import { boxOf, probeIsolation } from './sandbox.ts';
import { waitFor } from './wait-for.ts';

type Job = KubeObject & {
  status?: {
    conditions?: { type: string; status: string; reason?: string }[];
    succeeded?: number;
    failed?: number;
  };
};
type PodSpec = Partial<Omit<Pod['spec'], 'containers'>>;

const IMAGE = 'registry.example/rds-pilot:test';

const container = (name: string, script: string, more: Partial<Container> = {}): Container => ({
  name,
  image: IMAGE,
  command: ['sh', '-c', script],
  ...more,
});

const job = (
  name: string,
  containers: Container[],
  podSpec: PodSpec = {},
  jobSpec: object = {},
): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'default' },
  spec: {
    backoffLimit: 0,
    ...jobSpec,
    template: {
      spec: { restartPolicy: 'Never', automountServiceAccountToken: false, ...podSpec, containers },
    },
  },
});

const hasEnded =
  (type: 'Complete' | 'Failed', reason?: string) =>
  ({ status }: Job): boolean =>
    Boolean(
      status?.conditions?.some(
        (each) => each.type === type && each.status === 'True' && (!reason || each.reason === reason),
      ),
    );

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const isolated = probeIsolation().isolation === 'namespace';

t.test('the pod runner', async (t) => {
  const controlPlane = await startControlPlane();
  t.teardown(controlPlane.stop);
  const runner = await startPodRunner({ controlPlane, log: t.comment.bind(t) });
  t.teardown(runner.stop);
  const kube = controlPlane.client();
  t.comment(`isolation: ${runner.isolation}`);

  const pathOf = (name: string) => `/apis/batch/v1/namespaces/default/jobs/${name}`;
  const podsOf = (name: string) =>
    kube.list<Pod>(`/api/v1/namespaces/default/pods?labelSelector=job-name=${name}`);
  const podOf = (name: string) => waitFor(`a pod of ${name}`, async () => (await podsOf(name))[0]);
  const outputOf = async (name: string, containerName: string) =>
    runner.output('default', (await podOf(name)).metadata.name, containerName);

  t.test('runs both containers of a Job to Complete and keeps their output', async (t) => {
    await kube.create(
      job('two', [
        container('first', 'echo "to stdout"; echo "to stderr" >&2'),
        container('second', '', {
          command: ['node', '-p', 'process.version + process.env.WHO'],
          env: [{ name: 'WHO', value: ' $(NAME)' }],
        }),
      ]),
    );
    const done = await kube.waitForObject<Job>(pathOf('two'), 'Complete', hasEnded('Complete'));
    t.equal(done.status?.succeeded, 1);
    t.same(await outputOf('two', 'first'), { stdout: 'to stdout\n', stderr: 'to stderr\n' });
    t.same(await outputOf('two', 'second'), { stdout: `${process.version} $(NAME)\n`, stderr: '' });
    const { status } = await podOf('two');
    t.match(status, { phase: 'Succeeded' });
    t.match(status?.containerStatuses, [
      { name: 'first', ready: false, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
      { name: 'second', ready: false, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
    ]);
  });

  t.test('shows the output to kubectl logs', { skip: hasKubectl ? false : 'no kubectl here' }, async (t) => {
    const env = { ...process.env, KUBECONFIG: controlPlane.kubeconfigPath };
    const { stdout } = await promisify(execFile)('kubectl', ['logs', 'job/two', '-c', 'first'], { env });
    t.equal(stdout, 'to stdout\nto stderr\n');
  });

  t.test('lets a failing container fail the Job, after as many tries as it allows', async (t) => {
    const containers = [container('good', 'true'), container('bad', 'echo oops; exit 3')];
    await kube.create(job('fails', containers, {}, { backoffLimit: 1, podReplacementPolicy: 'Failed' }));
    const failed = await kube.waitForObject<Job>(
      pathOf('fails'),
      'Failed',
      hasEnded('Failed', 'BackoffLimitExceeded'),
    );
    t.equal(failed.status?.failed, 2);
    const pods = await podsOf('fails');
    t.equal(pods.length, 2);
    const bad = pods[0]?.status?.containerStatuses?.find(({ name }) => name === 'bad');
    t.match(bad, { state: { terminated: { exitCode: 3, reason: 'Error' } } });
  });

  t.test('uses the entrypoint of the image when there is no command, in the checkout', async (t) => {
    await kube.create(
      job('entry', [{ name: 'main', image: IMAGE, args: ['-p', 'require("./package.json").name'] }]),
    );
    await kube.waitForObject<Job>(pathOf('entry'), 'Complete', hasEnded('Complete'));
    t.equal((await outputOf('entry', 'main')).stdout, 'rds-pilot\n');
  });

  t.test(
    'gives Secrets as files and env, an emptyDir shared by the containers, and fields of the pod',
    async (t) => {
      await kube.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'creds', namespace: 'default' },
        data: { token: Buffer.from('s3cret').toString('base64') },
      });
      const volumeMounts = [
        { name: 'creds', mountPath: '/var/run/rds-pilot/creds', readOnly: true },
        { name: 'shared', mountPath: '/shared' },
      ];
      await kube.create(
        job(
          'mounts',
          [
            container('writer', 'cat /var/run/rds-pilot/creds/token > /shared/copy; echo "$NS $TOKEN"', {
              volumeMounts,
              env: [
                { name: 'NS', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
                { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'creds', key: 'token' } } },
              ],
            }),
            container('reader', 'until [ -s /shared/copy ]; do sleep 0.05; done; cat /shared/copy', {
              volumeMounts,
            }),
          ],
          {
            volumes: [
              { name: 'creds', secret: { secretName: 'creds', defaultMode: 0o400 } },
              { name: 'shared', emptyDir: {} },
            ],
            securityContext: { runAsUser: 1234, fsGroup: 1234 },
          },
        ),
      );
      await kube.waitForObject<Job>(pathOf('mounts'), 'Complete', hasEnded('Complete'));
      t.equal((await outputOf('mounts', 'writer')).stdout, 'default s3cret\n');
      t.equal((await outputOf('mounts', 'reader')).stdout, 's3cret');
      t.notOk(
        existsSync('/var/run/rds-pilot') || existsSync('/shared'),
        'nothing is made outside of the pod',
      );
    },
  );

  t.test('keeps a pod waiting until its Secret is there', async (t) => {
    const env = [{ name: 'X', valueFrom: { secretKeyRef: { name: 'late', key: 'x' } } }];
    await kube.create(job('waits', [container('main', 'echo "$X"', { env })]));
    const pod = await podOf('waits');
    const path = `/api/v1/namespaces/default/pods/${pod.metadata.name}`;
    await kube.waitForObject<Pod>(path, 'a message', ({ status }) =>
      Boolean(status?.message?.includes('late')),
    );
    await kube.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'late', namespace: 'default' },
      data: { x: Buffer.from('here').toString('base64') },
    });
    await kube.waitForObject<Job>(pathOf('waits'), 'Complete', hasEnded('Complete'));
    t.equal((await outputOf('waits', 'main')).stdout, 'here\n');
  });

  const skip = isolated ? false : 'needs root on Linux (mount namespaces)';
  t.test('runs a restricted pod as its user on a read-only root', { skip }, async (t) => {
    const script =
      'id -u; id -g; touch /x /app/x /tmp/x; touch /scratch/x && echo written; grep CapEff /proc/self/status';
    const securityContext = { runAsNonRoot: true, readOnlyRootFilesystem: true };
    const volumeMounts = [{ name: 'scratch', mountPath: '/scratch' }];
    await kube.create(
      job('strict', [container('main', script, { securityContext, volumeMounts })], {
        volumes: [{ name: 'scratch', emptyDir: {} }],
      }),
    );
    await kube.waitForObject<Job>(pathOf('strict'), 'Complete', hasEnded('Complete'));
    const { stdout, stderr } = await outputOf('strict', 'main');
    t.equal(stdout, '65532\n65532\nwritten\nCapEff:\t0000000000000000\n');
    t.equal(stderr.match(/Read-only file system/g)?.length, 3);
  });

  t.test('keeps the last words of a container, wherever it leaves them', async (t) => {
    const securityContext = { runAsNonRoot: true, readOnlyRootFilesystem: true };
    await kube.create(
      job('words', [
        container('usual', 'echo "all 3 lines" > /dev/termination-log', { securityContext }),
        container('elsewhere', 'printf done > "$FILE"; exit 2', {
          securityContext,
          terminationMessagePath: '/tmp/last/words',
          env: [{ name: 'FILE', value: '/tmp/last/words' }],
        }),
        container('silent', 'true'),
      ]),
    );
    await kube.waitForObject<Job>(pathOf('words'), 'Failed', hasEnded('Failed'));
    const ends = (await podOf('words')).status?.containerStatuses ?? [];
    t.match(ends[0], { state: { terminated: { exitCode: 0, message: 'all 3 lines\n' } } });
    t.match(ends[1], { state: { terminated: { exitCode: 2, message: 'done' } } });
    t.notMatch(ends[2], { state: { terminated: { message: String } } });
    const own = existsSync('/dev/termination-log') ? readFileSync('/dev/termination-log', 'utf8') : '';
    t.notOk(own.includes('all 3 lines') || existsSync('/tmp/last'), 'nothing is left on this machine');
  });

  t.test('ends a pod at its own deadline', async (t) => {
    const containers = [container('main', 'exec sleep 60')];
    await kube.create(job('late', containers, { activeDeadlineSeconds: 1 }));
    await kube.waitForObject<Job>(pathOf('late'), 'Failed', hasEnded('Failed'));
    t.match((await podOf('late')).status, { phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  t.test("ends a pod at its Job's deadline, and the pod goes away", async (t) => {
    await kube.create(
      job('job-late', [container('main', 'exec sleep 60')], {}, { activeDeadlineSeconds: 1 }),
    );
    await kube.waitForObject<Job>(pathOf('job-late'), 'Failed', hasEnded('Failed', 'DeadlineExceeded'));
    await waitFor('no pod', async () => (await podsOf('job-late')).length === 0);
    t.pass('the pod is gone');
  });

  t.test('kills a container that needs more memory than its limit', async (t) => {
    const args = ['-e', 'const all = []; setInterval(() => all.push(Buffer.alloc(5e6, 1)), 5)'];
    const resources = { limits: { memory: '150Mi' } };
    await kube.create(job('big', [{ name: 'main', image: IMAGE, args, resources }]));
    await kube.waitForObject<Job>(pathOf('big'), 'Failed', hasEnded('Failed'));
    const [state] = (await podOf('big')).status?.containerStatuses ?? [];
    t.match(state, { state: { terminated: { exitCode: 137, reason: 'OOMKilled' } } });
  });

  t.test('stops the processes of a deleted Job', async (t) => {
    await kube.create(
      job('dropped', [container('main', 'echo "$$$$"; exec sleep 60')], { terminationGracePeriodSeconds: 1 }),
    );
    const { metadata } = await podOf('dropped');
    const read = async () => Number((await runner.output('default', metadata.name, 'main')).stdout);
    const pid = await waitFor('its process', read);
    await kube.delete(pathOf('dropped'), { propagationPolicy: 'Background' });
    await waitFor('the pod to go', async () => (await podsOf('dropped')).length === 0);
    t.notOk(existsSync(`/proc/${pid}`));
  });

  t.test('fails a pod that asks for what it does not have, and says what', async (t) => {
    await kube.create(
      job('odd', [container('main', 'true')], { initContainers: [container('init', 'true')] }),
    );
    await kube.waitForObject<Job>(pathOf('odd'), 'Failed', hasEnded('Failed'));
    t.match((await podOf('odd')).status, { reason: 'Unsupported', message: 'initContainers' });
  });

  t.test('reports a command that cannot be started', async (t) => {
    await kube.create(job('nothing', [{ name: 'main', image: IMAGE, command: ['no-such-command'] }]));
    await kube.waitForObject<Job>(pathOf('nothing'), 'Failed', hasEnded('Failed'));
    const [state] = (await podOf('nothing')).status?.containerStatuses ?? [];
    t.match(state, { state: { terminated: { exitCode: isolated ? 127 : 128 } } });
  });

  t.test('lists all output, for whoever looks for secrets in it', async (t) => {
    const all = await runner.outputs();
    t.ok(all.some(({ stdout }) => stdout.includes('s3cret')));
    t.ok(all.every(({ namespace }) => namespace === 'default'));
  });

  t.test('ends what still runs when it stops', async (t) => {
    await kube.create(job('running', [container('main', 'echo "$$$$"; exec sleep 60')]));
    const { metadata } = await podOf('running');
    const pid = await waitFor('its process', async () =>
      Number((await runner.output('default', metadata.name, 'main')).stdout),
    );
    await runner.stop();
    t.notOk(existsSync(`/proc/${pid}`));
  });
});

t.test('without a mount namespace the paths are replaced', async (t) => {
  const controlPlane = await startControlPlane();
  t.teardown(controlPlane.stop);
  const runner = await startPodRunner({ controlPlane, isolation: 'substitution' });
  t.teardown(runner.stop);
  const kube = controlPlane.client();
  await kube.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'creds', namespace: 'default' },
    data: { token: Buffer.from('s3cret').toString('base64') },
  });
  const main = container('main', 'cat /var/run/creds/token "$FILE"; node -p 1', {
    env: [{ name: 'FILE', value: '/var/run/creds/token' }],
    volumeMounts: [{ name: 'creds', mountPath: '/var/run/creds' }],
  });
  await kube.create(job('plain', [main], { volumes: [{ name: 'creds', secret: { secretName: 'creds' } }] }));
  const path = '/apis/batch/v1/namespaces/default/jobs/plain';
  await kube.waitForObject<Job>(path, 'Complete', hasEnded('Complete'));
  t.match(await runner.outputs(), [{ stdout: 's3crets3cret1\n', container: 'main' }]);
});

t.test('a replaced path is not replaced again, and a longer name is left alone', async (t) => {
  const { args, env } = boxOf('substitution').launch({
    argv: ['cat', '/tmp/x', '--file=/tmp', '/tmpfile', '/var/tmp'],
    env: { A: '/creds/token:/tmp' },
    cwd: '/',
    mounts: [
      { source: '/tmp/here', path: '/tmp/', readOnly: false },
      { source: '/tmp/creds', path: '/creds', readOnly: true },
    ],
    user: 1,
    group: 1,
    groups: [],
    readOnlyRoot: false,
    boxDir: '/nowhere',
  });
  t.same(args, ['/tmp/here/x', '--file=/tmp/here', '/tmpfile', '/var/tmp']);
  t.equal(env.A, '/tmp/creds/token:/tmp/here');
});

t.test('memory quantities are read as Kubernetes writes them', async (t) => {
  t.same(['128974848', '129M', '123Mi', '1Gi', '1.5k'].map(bytesOf), [
    128974848,
    129e6,
    123 * 2 ** 20,
    2 ** 30,
    1500,
  ]);
  t.throws(() => bytesOf('lots'), { message: /not a memory quantity/ });
});
