// A client that logs in every 20 ms with what its mounted Secret says, while that login is replaced again and again on a
// real server, and something goes wrong in most of the rotations.

import { setTimeout as sleep } from 'node:timers/promises';
import mysql from 'mysql2/promise';
import pg from 'pg';
import type { KubeObject } from '../../src/kube/api.ts';
import { drawingName } from '../../src/rds/names.ts';
import type { SqlReport } from '../../src/rds/sql-wish.ts';
import { MINUTE } from '../support/world.ts';
import type { RealServer, Run } from './real-server.ts';
import type { rotationWorld } from './rotation-world.ts';

/** The world goes on by this much with each login, so an hour of the spec is one login. */
const STEP_MS = MINUTE;
const PACE_MS = 20;
const MOST_HOURS = 1_500;

/** The rest of a spec, so that the simulated cloud makes such an instance. */
export const SPECS = {
  MySQL: {},
  PostgreSQL: {
    datastoretype: 'PostgreSQL',
    datastoreversion: '15',
    flavorref: 'rds.pg.n1.large.2',
    port: '5432',
  },
} as const;

export type Values = Record<string, string>;
export type RotatingWorld = Awaited<ReturnType<typeof rotationWorld>>;

export async function logIn(server: RealServer, { username, password }: Values, row: number): Promise<void> {
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

type RunJob = (files: Values, more?: { deadlineSeconds?: number }) => Promise<Run>;

type Story = { world: RotatingWorld; job: KubeObject; files: Values; run: RunJob; secretName: string };

/** Something that happens to the making or to the closing Job of a rotation; true: the Job is over. */
export type Fault = (story: Story) => Promise<boolean>;

export const fails: Fault = async ({ world, job }) => {
  await world.ends(job, { fatal: 'it never ran' });
  return true;
};
export const worksAndIsNotHeard: Fault = async ({ world, run, job, files }) => {
  await run(files);
  await world.ends(job, { fatal: 'its report was lost' });
  return true;
};
export const diesHalfway: Fault = async ({ world, run, job, files }) => {
  await run(files, { deadlineSeconds: 0.03 });
  await world.ends(job, { fatal: 'killed' });
  return true;
};
export const runsTwice: Fault = async ({ run, files }) => {
  await Promise.all([run(files), run(files)]);
  return false;
};
export const everythingRestarts: Fault = async ({ world }) => {
  await world.restartReplica();
  await world.restartLoop();
  return false;
};
const secretPath = (name: string) => `/api/v1/namespaces/team-a/secrets/${name}`;
export const drawingIsDeleted: Fault = async ({ world, secretName }) => {
  await world.kube('DELETE', secretPath(drawingName(secretName, 'second')));
  return false;
};
export const secretIsDeleted: Fault = async ({ world, secretName }) => {
  await world.kube('DELETE', secretPath(secretName));
  return false;
};

/** By the number of the rotation. */
export type Faults = Record<number, { making?: Fault; closing?: Fault }>;

export type Trial = {
  server: RealServer;
  world: RotatingWorld;
  /** In status.logins. */
  account: string;
  secretName: string;
  rotations: number;
  faults: Faults;
  run: RunJob;
  /** A kubelet brings a new Secret into a pod this many logins later. */
  mountLag: number;
  /** What the cloud does besides, whenever time has passed. */
  meanwhile?: () => Promise<void>;
};

export type Outcome = {
  logins: number;
  failures: string[];
  jobs: number;
  faults: number;
  /** How often each login was used, and the password that it had last. */
  used: Map<string, { times: number; password: string }>;
};

export async function rotateUnderClient(trial: Trial): Promise<Outcome> {
  const { server, world, account, secretName, run } = trial;
  const outcome: Outcome = { logins: 0, failures: [], jobs: 0, faults: 0, used: new Map() };
  let mounted = await world.secretValues(secretName);
  let isOver = false;
  let told = Promise.withResolvers<void>();

  async function client(): Promise<void> {
    while (!isOver) {
      const began = performance.now();
      if (outcome.logins % trial.mountLag === 0) {
        const now = await world.secretValues(secretName);
        if (now.username) mounted = now;
      }
      await logIn(server, mounted, outcome.logins).catch((error: unknown) =>
        outcome.failures.push(`login ${outcome.logins} as ${mounted.username}: ${error}`),
      );
      outcome.logins += 1;
      const { username = '', password = '' } = mounted;
      outcome.used.set(username, { times: (outcome.used.get(username)?.times ?? 0) + 1, password });
      told.resolve();
      told = Promise.withResolvers();
      await sleep(Math.max(0, PACE_MS - (performance.now() - began)));
    }
  }

  const struck = new Set<string>();
  async function work(job: KubeObject): Promise<void> {
    outcome.jobs += 1;
    const files = await world.secretValues(job.metadata.name);
    const { number = 0, state } = (await world.login(account)) ?? {};
    const part = state === 'Closing' ? 'closing' : 'making';
    const fault = trial.faults[number]?.[part];
    if (fault && !struck.has(`${number} ${part}`)) {
      struck.add(`${number} ${part}`);
      outcome.faults += 1;
      if (await fault({ world, job, files, run, secretName })) return;
    }
    const { report }: { report: SqlReport } = await run(files);
    await world.ends(job, report);
  }

  const isDone = async () => {
    const { number = 0, state } = (await world.login(account)) ?? {};
    return number > trial.rotations || (number === trial.rotations && state === 'Idle');
  };
  const running = client();
  const handled = new Set<string>();
  for (let hour = 0; !(await isDone()) && hour < MOST_HOURS; hour += 1) {
    await told.promise;
    await world.clock.advance(STEP_MS);
    await trial.meanwhile?.();
    for (const job of await world.jobs()) {
      if (handled.has(job.metadata.name)) continue;
      handled.add(job.metadata.name);
      await work(job);
    }
  }
  isOver = true;
  await running;
  return outcome;
}

export const inWords = ({ logins, failures, jobs, faults, used }: Outcome): string =>
  `${logins} logins, ${failures.length} failed; ${jobs} Jobs, ${faults} faults; logins used: ${[...used].map(([name, { times }]) => `${name} ${times}`).join(', ')}`;

export const countOf = (faults: Faults): number =>
  Object.values(faults).flatMap((one) => Object.keys(one)).length;
