// The administrator in the connection Secret is replaced again and again under a client that logs in every 20 ms, with
// Jobs as processes of their own and a cloud that replaces the password of root itself. The client never fails.
import t from 'tap';
import type { SqlEngine } from '../../src/rds/sql-wish.ts';
import { reasonToSkip, runSqlProgram, startServer } from './real-server.ts';
import {
  countOf,
  diesHalfway,
  drawingIsDeleted,
  everythingRestarts,
  type Fault,
  type Faults,
  fails,
  inWords,
  logIn,
  type RotatingWorld,
  rotateUnderClient,
  runsTwice,
  SPECS,
  secretIsDeleted,
  type Values,
  worksAndIsNotHeard,
} from './rotation-under-client.ts';
import { rotationWorld } from './rotation-world.ts';

t.setTimeout(1_800_000);

const ROTATIONS = 8;
const CONNECTION = 'shop-connection';
const ROOT = '(root)';

const resets = ({ simulator }: RotatingWorld): number =>
  simulator.calls().rds?.['POST /v3/{project}/instances/{id}/password'] ?? 0;

/** The next reset of the cloud is refused, or its answer is lost. */
const resetGoesWrong =
  (kind: '500-before' | 'timeout-after'): Fault =>
  async ({ world }) => {
    world.simulator.faults.add({
      match: { service: 'rds', method: 'POST', path: '/v3/{project}/instances/{id}/password' },
      kind,
      times: 1,
    });
    return false;
  };

const FAULTS: Faults = {
  1: { making: resetGoesWrong('500-before') },
  2: { making: fails, closing: resetGoesWrong('timeout-after') },
  3: { making: worksAndIsNotHeard, closing: fails },
  4: { making: drawingIsDeleted, closing: everythingRestarts },
  5: { making: runsTwice },
  6: { making: diesHalfway, closing: worksAndIsNotHeard },
  7: { making: everythingRestarts, closing: secretIsDeleted },
  8: { making: diesHalfway, closing: diesHalfway },
};

for (const engine of ['MySQL', 'PostgreSQL'] as const satisfies SqlEngine[]) {
  t.test(
    `${engine}: the administrator is replaced under a client`,
    { skip: reasonToSkip(engine) },
    async (t) => {
      const server = await startServer(engine);
      t.teardown(() => server.stop());
      /** On the real server root has the password that the simulated cloud gave it. */
      let password = '';
      async function followCloud({ simulator }: Pick<RotatingWorld, 'simulator'>): Promise<void> {
        const [instance] = simulator.state.instances;
        if (instance === undefined || instance.password === password) return;
        password = instance.password;
        await server.setRootPassword(password);
      }
      /** As a pod: with the login that is in the Secret of root when it starts. */
      async function run(
        world: Pick<RotatingWorld, 'secretValues'>,
        files: Values,
        more: { deadlineSeconds?: number } = {},
      ) {
        const { password = '' } = await world.secretValues('shop-root');
        return runSqlProgram({ engine, login: { ...server.login, password }, declared: {}, files, ...more });
      }
      const spec = { ...SPECS[engine], databases: ['goods'], rootRotateEvery: '24h', rotationGrace: '10h' };
      const world = await rotationWorld(t, spec, {
        firstJob: async (files, begun) => {
          await followCloud(begun);
          return (await run(begun, files)).report;
        },
      });
      const first = await world.secretValues(CONNECTION);
      t.match(first, { username: 'root' });
      const outcome = await rotateUnderClient({
        server,
        world,
        account: ROOT,
        secretName: CONNECTION,
        rotations: ROTATIONS,
        faults: FAULTS,
        run: (files, more) => run(world, files, more),
        mountLag: 7,
        meanwhile: () => followCloud(world),
      });
      const end = await world.login(ROOT);
      t.comment(`${engine}: ${end?.number} rotations, ${resets(world)} resets of root, ${inWords(outcome)}`);
      t.same(outcome.failures.slice(0, 5), [], 'no login failed');
      t.match(end, { number: ROTATIONS, state: 'Idle' }, 'all rotations are over');
      t.equal(outcome.faults, countOf(FAULTS), 'every fault happened');
      t.equal(outcome.used.size, 3, 'root, and then two administrators took turns');

      const published = await world.secretValues(CONNECTION);
      await t.resolves(logIn(server, published, -1), 'the published one works');
      for (const [username, { password }] of outcome.used)
        if (username !== published.username)
          await t.rejects(logIn(server, { username, password }, -1), `${username} was retired`);
      await t.rejects(logIn(server, first, -1), 'and so was the first password of root');
      t.match(await world.status('shop'), { phase: 'Ready', plan: [] });
    },
  );
}
