// A client that logs in every 100 ms with what its mounted Secret says, while its login is replaced ten times on a real
// server and something goes wrong in most of them. It never fails.
import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import pg from 'pg';
import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { drawingName, userSecretName } from '../../src/rds/names.ts';
import type { SqlEngine } from '../../src/rds/sql-wish.ts';
import { MINUTE } from '../support/world.ts';
import { type RealServer, reasonToSkip, startServer } from './real-server.ts';
import { rotationWorld } from './rotation-world.ts';

t.setTimeout(600_000);

const ROTATIONS = 10;
/** The world goes on by this much with each login, so an hour of the spec is one login. */
const STEP_MS = MINUTE;
/** A kubelet brings a new Secret into a pod some time later. */
const MOUNT_LAG = 3;
const PACE_MS = 100;
const APP = userSecretName('shop', 'app', '%');

const SPECS = {
  MySQL: {},
  PostgreSQL: {
    datastoretype: 'PostgreSQL',
    datastoreversion: '15',
    flavorref: 'rds.pg.n1.large.2',
    port: '5432',
  },
} as const;

type Values = Record<string, string>;

async function logIn(server: RealServer, { username, password }: Values, row: number): Promise<void> {
  const at = {
    host: '127.0.0.1',
    port: server.login.port,
    database: 'goods',
    user: username ?? '',
    password: password ?? '',
  };
  const insert = `INSERT INTO work (a) VALUES (${row})`;
  if (server.engine === 'MySQL') {
    const connection = await mysql.createConnection(at);
    await connection.query('CREATE TABLE IF NOT EXISTS work (a INT)');
    await connection.query(insert);
    connection.destroy();
    return;
  }
  const client = new pg.Client(at);
  await client.connect();
  await client.query('CREATE TABLE IF NOT EXISTS work (a INT)');
  await client.query(insert);
  // Only the owner may: both logins are.
  await client.query(`COMMENT ON TABLE work IS '${row}'`);
  await client.end();
}

type World = Awaited<ReturnType<typeof rotationWorld>>;

/** Something that happens to the making or to the closing Job of a rotation. */
type Fault = (story: {
  world: World;
  server: RealServer;
  job: KubeObject;
  files: Values;
}) => Promise<boolean>;

const fails: Fault = async ({ world, job }) => {
  await world.ends(job, { fatal: 'it never ran' });
  return true;
};
const worksAndIsNotHeard: Fault = async ({ world, server, job, files }) => {
  await server.runMounted(files);
  await world.ends(job, { fatal: 'its report was lost' });
  return true;
};
const diesHalfway: Fault = async ({ world, server, job, files }) => {
  await server.run({}, { files, deadlineSeconds: 0.03 });
  await world.ends(job, { fatal: 'killed' });
  return true;
};
const runsTwice: Fault = async ({ server, files }) => {
  await Promise.all([server.runMounted(files), server.runMounted(files)]);
  return false;
};
const everythingRestarts: Fault = async ({ world }) => {
  await world.restartReplica();
  await world.restartLoop();
  return false;
};
const drawingIsDeleted: Fault = async ({ world }) => {
  await world.kube('DELETE', `/api/v1/namespaces/team-a/secrets/${drawingName(APP, 'second')}`);
  return false;
};
const secretIsDeleted: Fault = async ({ world }) => {
  await world.kube('DELETE', `/api/v1/namespaces/team-a/secrets/${APP}`);
  return false;
};

const FAULTS: Record<number, { making?: Fault; closing?: Fault }> = {
  2: { making: fails },
  3: { making: worksAndIsNotHeard },
  4: { making: everythingRestarts, closing: fails },
  5: { making: runsTwice },
  6: { making: drawingIsDeleted },
  7: { making: diesHalfway, closing: worksAndIsNotHeard },
  8: { closing: everythingRestarts },
  9: { closing: secretIsDeleted },
  10: { making: diesHalfway, closing: diesHalfway },
};

for (const engine of ['MySQL', 'PostgreSQL'] as const satisfies SqlEngine[]) {
  t.test(`${engine}: ten rotations under a client`, { skip: reasonToSkip(engine) }, async (t) => {
    const server = await startServer(engine);
    t.teardown(() => server.stop());
    const spec = {
      ...SPECS[engine],
      databases: ['goods'],
      users: [{ name: 'app', grants: [{ database: 'goods', privileges: ['ALL'] }], rotateEvery: '40h' }],
      rotationGrace: '10h',
    };
    const world = await rotationWorld(t, spec, {
      firstJob: (files) => server.runMounted(files).then(({ report }) => report),
    });
    const account = engine === 'MySQL' ? 'app@%' : 'app';
    const counts = {
      logins: 0,
      failures: [] as string[],
      jobs: 0,
      faults: 0,
      seen: new Map<string, number>(),
    };
    let mounted: Values = await world.secretValues(APP);
    let isOver = false;
    let told = Promise.withResolvers<void>();

    async function client(): Promise<void> {
      while (!isOver) {
        const began = performance.now();
        if (counts.logins % MOUNT_LAG === 0) {
          const now = await world.secretValues(APP);
          if (now.username) mounted = now;
        }
        await logIn(server, mounted, counts.logins).catch((error: unknown) =>
          counts.failures.push(`login ${counts.logins} as ${mounted.username}: ${error}`),
        );
        counts.logins += 1;
        counts.seen.set(mounted.username ?? '', (counts.seen.get(mounted.username ?? '') ?? 0) + 1);
        told.resolve();
        told = Promise.withResolvers();
        await sleep(Math.max(0, PACE_MS - (performance.now() - began)));
      }
    }

    const struck = new Set<string>();
    async function work(job: KubeObject): Promise<void> {
      counts.jobs += 1;
      const files = await world.secretValues(job.metadata.name);
      const { number = 0, state } = (await world.login(account)) ?? {};
      const part = state === 'Closing' ? 'closing' : 'making';
      const fault = FAULTS[number]?.[part];
      if (fault && !struck.has(`${number} ${part}`)) {
        struck.add(`${number} ${part}`);
        counts.faults += 1;
        if (await fault({ world, server, job, files })) return;
      }
      const { report } = await server.runMounted(files);
      await world.ends(job, report);
    }

    const isDone = async () => {
      const { number = 0, state } = (await world.login(account)) ?? {};
      return number > ROTATIONS || (number === ROTATIONS && state === 'Idle');
    };
    const running = client();
    const handled = new Set<string>();
    while (!(await isDone()) && counts.logins < 1_500) {
      await told.promise;
      await world.clock.advance(STEP_MS);
      for (const job of await world.jobs()) {
        if (handled.has(job.metadata.name)) continue;
        handled.add(job.metadata.name);
        await work(job);
      }
    }
    isOver = true;
    await running;
    const end = await world.login(account);
    t.comment(
      `${engine}: ${counts.logins} logins, ${counts.failures.length} failed; ${end?.number} rotations, ${counts.jobs} Jobs, ${counts.faults} faults; logins used: ${[...counts.seen].map(([name, times]) => `${name} ${times}`).join(', ')}`,
    );
    t.same(counts.failures.slice(0, 5), [], 'no login failed');
    t.match(end, { number: ROTATIONS, state: 'Idle' }, 'all rotations are over');
    t.equal(
      counts.faults,
      Object.values(FAULTS).flatMap((one) => Object.keys(one)).length,
      'every fault happened',
    );
    t.equal(counts.seen.size, 2, 'two logins took turns');
  });
}
