import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { kubeconfigConnection } from '../../src/kube/connection.ts';
import { createKubeHttp } from '../../src/kube/http.ts';
import { createReadJobMessages } from '../../src/kube/job-messages.ts';
import type { Pod } from '../../src/local/pods/types.ts';
import { SQL_ENGINES, type SqlEngine, type SqlWish } from '../../src/rds/sql-wish.ts';
import { connectionSecret } from '../../src/sync/children/secrets.ts';
import { sqlJob } from '../../src/sync/children/sql-job.ts';
import { startControlPlane } from '../cluster/control-plane.ts';
import { startPodRunner } from '../cluster/pod-runner.ts';
import { reasonToSkip, startServer } from './real-server.ts';

type Job = KubeObject & { status?: { conditions?: { type: string; status: string; reason?: string }[] } };

const wishOf = (engine: SqlEngine, users: Partial<SqlWish['users'][number]>[]): SqlWish => ({
  engine,
  databases: ['goods'],
  users: users.map((user, index) => ({ name: '', passwordFile: `password-${index}`, ...user })),
  drop: { databases: [], users: [] },
});

const ACCOUNT = { MySQL: 'root@%', PostgreSQL: 'root' } as const;
const TABLE = {
  MySQL: 'CREATE TABLE goods.t (a INT)',
  PostgreSQL: '\\connect goods\nCREATE TABLE t (a INT)',
} as const;

t.test('the SQL Job as its pod runs it', async (t) => {
  const controlPlane = await startControlPlane();
  t.teardown(controlPlane.stop);
  const runner = await startPodRunner({ controlPlane, log: t.comment.bind(t) });
  t.teardown(runner.stop);
  const kube = controlPlane.client();
  t.comment(`isolation: ${runner.isolation}`);
  const http = createKubeHttp(kubeconfigConnection(controlPlane.kubeconfigPath));
  t.teardown(() => http.close());
  const readMessages = createReadJobMessages(http.call, 5_000);

  for (const engine of SQL_ENGINES)
    await t.test(engine, { skip: reasonToSkip(engine) }, async (t) => {
      const server = await startServer(engine);
      t.teardown(() => server.stop());
      const namespace = `restricted-${engine.toLowerCase()}`;
      const rds = { name: 'shop', namespace };
      // A pod that is not restricted would not even be admitted.
      const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
      await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } });
      const { host, port, username, password } = server.login;
      await kube.create(
        connectionSecret({ ...rds, ip: host, port }, { engine, username, password }) as KubeObject,
      );

      async function run(name: string, wish: SqlWish, passwords: Record<string, string>): Promise<Job> {
        for (const child of sqlJob(rds, { name, wish, passwords, image: 'registry.example/rds-pilot:test' }))
          await kube.create(child as KubeObject);
        const hasEnded = ({ status }: Job) =>
          Boolean(
            status?.conditions?.some(
              ({ type, status: is }) => ['Complete', 'Failed'].includes(type) && is === 'True',
            ),
          );
        const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`;
        return kube.waitForObject<Job>(path, 'the end', hasEnded);
      }
      const outputs = async () => (await runner.outputs()).filter((one) => one.namespace === namespace);

      await t.test('makes what is declared, and its report reaches the hook', async (t) => {
        const grants = [{ database: 'goods', privileges: ['ALL'] }];
        const wish = wishOf(engine, [{ name: 'app', grants }]);
        const done = await run('first', wish, { 'password-0': 'App-12345' });
        t.match(done.status?.conditions, [
          { type: 'SuccessCriteriaMet' },
          { type: 'Complete', status: 'True' },
        ]);
        await server.query(TABLE[engine], { user: 'app', password: 'App-12345' });
        const { sql = '' } = await readMessages({ namespace, name: 'first' });
        t.match(JSON.parse(sql), { changed: Number, failures: [], more: 0 });
        t.ok(JSON.parse(sql).changed >= 3);
        for (const { stdout } of await outputs()) t.comment(stdout);
      });

      await t.test('a refused user fails the Job at once and is named', async (t) => {
        const wish = wishOf(engine, [{ name: 'root' }, { name: 'good' }]);
        const failed = await run('second', wish, {
          'password-0': 'Root-12345',
          'password-1': 'Good-12345',
        });
        t.match(
          failed.status?.conditions?.find(({ type }) => type === 'Failed'),
          { reason: 'PodFailurePolicy' },
          'without another try',
        );
        const { sql = '' } = await readMessages({ namespace, name: 'second' });
        t.match(JSON.parse(sql), {
          failures: [{ what: `user ${ACCOUNT[engine]}`, why: /belongs to the cloud/ }],
        });
        await server.query('SELECT 1', { user: 'good', password: 'Good-12345' });
      });

      await t.test('no password is in its arguments, environment, output or status', async (t) => {
        const pods = await kube.list<Pod>(`/api/v1/namespaces/${namespace}/pods`);
        t.equal(pods.length, 2);
        const printed = await outputs();
        t.ok(printed.some(({ stdout }) => /CREATE (USER|ROLE)/.test(stdout)));
        const seen = JSON.stringify([pods, printed]);
        for (const secret of [password, 'App-12345', 'Good-12345']) t.notOk(seen.includes(secret));
      });
    });
});
