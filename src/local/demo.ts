// `make demo`: a tour that ends by itself. Real hook over HTTP, simulated cloud, the loop in memory; each step
// shows what a user would type and see, and the tour fails loudly when something is not as it says.

import { systemClock } from '../clock.ts';
import { readConfig } from '../config.ts';
import type { KubeObject } from '../kube/api.ts';
import { createLogger } from '../logger.ts';
import { createUndiciSend } from '../otc/undici-send.ts';
import type { RdsStatus } from '../rds/status.ts';
import { createService } from '../service.ts';
import { demoVariables } from '../simulator/demo-account.ts';
import { serveSimulator } from '../simulator/server.ts';
import { createSimulator } from '../simulator/simulator.ts';
import { createLaptop, type Laptop } from './laptop.ts';

const SPEED = 120;
/** Only for what never happens: a busy machine is slow. */
const PATIENCE_MS = 300_000;
const RDS = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/shop';

const AUTOPILOT = { autopilot: { mode: 'Act', storage: { maxGb: 100 } } };

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const title = (text: string): void => say(`\n== ${text}`);

function manifest(spec: Record<string, unknown>): KubeObject {
  return {
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'Rds',
    metadata: { name: 'shop', namespace: 'team-a' },
    spec,
  };
}

async function apply(laptop: Laptop, spec: Record<string, unknown>): Promise<void> {
  const answer = await laptop.kube({
    method: 'PATCH',
    path: `${RDS}?fieldManager=kubectl&force=true`,
    contentType: 'application/apply-patch+yaml',
    body: manifest(spec),
    deadlineMs: 1_000,
  });
  if (answer.status >= 300) throw new Error(`apply was refused: ${JSON.stringify(answer.body)}`);
}

async function annotate(laptop: Laptop, annotations: Record<string, string>): Promise<void> {
  await laptop.kube({
    method: 'PATCH',
    path: RDS,
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations } },
    deadlineMs: 1_000,
  });
}

const statusOf = (laptop: Laptop): RdsStatus =>
  (laptop.objects('Rds').find(({ metadata }) => metadata.name === 'shop')?.status as RdsStatus | undefined) ??
  {};

/** Prints each change of the Ready condition until the goal is met. */
async function follow(
  laptop: Laptop,
  what: string,
  isReached: (status: RdsStatus) => boolean,
): Promise<void> {
  const startedAt = Date.now();
  let last = '';
  for (;;) {
    const status = statusOf(laptop);
    const told =
      status.conditions?.find(({ type }) => type === 'Progressing') ??
      status.conditions?.find(({ type }) => type === 'Ready');
    const line = `   ${(status.phase ?? '-').padEnd(9)} ${(status.status ?? '-').padEnd(10)} ${told?.reason ?? ''}: ${told?.message ?? ''}`;
    if (line !== last) say(line);
    last = line;
    if (isReached(status)) return;
    if (Date.now() - startedAt > PATIENCE_MS) throw new Error(`waited ${PATIENCE_MS / 1000} s for: ${what}`);
    await systemClock.sleep(100);
  }
}

const specOf = (laptop: Laptop): { volumesize?: number } =>
  laptop.objects('Rds').find(({ metadata }) => metadata.name === 'shop')?.spec as { volumesize?: number };

async function until(what: string, holds: () => boolean): Promise<void> {
  const startedAt = Date.now();
  while (!holds()) {
    if (Date.now() - startedAt > PATIENCE_MS) throw new Error(`waited ${PATIENCE_MS / 1000} s for: ${what}`);
    await systemClock.sleep(100);
  }
}

/** Data in percent of the disk. */
async function fill(simulator: ReturnType<typeof createSimulator>, disk: number): Promise<void> {
  const body = JSON.stringify({ id: simulator.state.instances[0]?.id, disk });
  await simulator.handle({ method: 'POST', url: '/_sim/load', headers: { host: 'demo' }, body });
}

function secret(laptop: Laptop, name: string): Record<string, string> {
  const found = laptop.objects('Secret').find(({ metadata }) => metadata.name === name);
  const data = (found?.data ?? {}) as Record<string, string>;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );
}

function expect(claim: string, holds: boolean): void {
  if (!holds) throw new Error(`not true: ${claim}`);
  say(`   ok: ${claim}`);
}

async function tour(laptop: Laptop, simulator: ReturnType<typeof createSimulator>): Promise<void> {
  const creates = () => simulator.state.counts['instance-created'] ?? simulator.state.instances.length;

  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } };
  await laptop.kube({ method: 'POST', path: '/api/v1/namespaces', body: namespace, deadlineMs: 1_000 });

  title('kubectl apply: a MySQL server, 40 GB; the answer to the create gets lost on the way');
  simulator.faults.add({
    match: { service: 'rds', method: 'POST', path: '/v3/{project}/instances' },
    kind: '500-after',
    times: 1,
  });
  await apply(laptop, {
    ...AUTOPILOT,
    flavorref: 'rds.mysql.n1.large.2',
    volumetype: 'CLOUDSSD',
    volumesize: 40,
  });
  await follow(laptop, 'Ready', ({ phase }) => phase === 'Ready');
  expect('one instance in the cloud, found again by its name', simulator.state.instances.length === 1);

  title('kubectl get secret shop-connection: what an application needs');
  const connection = secret(laptop, 'shop-connection');
  for (const [key, value] of Object.entries(connection)) {
    say(
      `   ${key.padEnd(9)} ${key === 'password' ? '(28 characters)' : value.replace(connection.password ?? '\0', '***')}`,
    );
  }
  expect('the Service has the address of the instance', connection.ip === statusOf(laptop).ip);

  title('edit the manifest: 60 GB and a larger machine; see status.plan before it happens');
  await apply(laptop, {
    ...AUTOPILOT,
    flavorref: 'rds.mysql.n1.xlarge.2',
    volumetype: 'CLOUDSSD',
    volumesize: 60,
  });
  await follow(laptop, 'the plan', ({ plan }) => (plan?.length ?? 0) > 0);
  for (const change of statusOf(laptop).plan ?? []) {
    say(`   plan: ${change.field} ${change.from} -> ${change.to}, impact ${change.impact}, ${change.when}`);
  }
  await follow(
    laptop,
    'the change',
    ({ phase, volumeGb, flavor }) =>
      phase === 'Ready' && volumeGb === 60 && flavor === 'rds.mysql.n1.xlarge.2',
  );

  title('the autopilot: data fills the disk, an alarm goes off, the disk grows within its bounds');
  await until('three alarms', () => statusOf(laptop).alarms?.length === 3);
  say('   three alarms watch disk, cpu and memory');
  await fill(simulator, 93);
  await until('the alarm', () => simulator.state.alarms.some(({ state }) => state === 'alarm'));
  say('   the cloud says: disk at 93 %, over 90 % for a quarter of an hour');
  // What the receiver does with a verified message; without one the operator looks by itself within two minutes.
  await annotate(laptop, { 'otc.mcsps.de/alarm': 'demo' });
  await follow(laptop, 'the growth', ({ phase, volumeGb }) => phase === 'Ready' && volumeGb === 70);
  const [step] = statusOf(laptop).scaling?.history ?? [];
  say(`   status.scaling: ${step?.what}, because ${step?.because}`);
  expect('spec.volumesize is as it was', specOf(laptop).volumesize === 60);

  title('kubectl annotate rds shop otc.mcsps.de/restart=monday');
  await annotate(laptop, { 'otc.mcsps.de/restart': 'monday' });
  await follow(
    laptop,
    'the restart',
    ({ phase, handled }) => phase === 'Ready' && handled?.['otc.mcsps.de/restart'] === 'monday',
  );
  expect('restarted once', simulator.calls().rds?.['POST /v3/{project}/instances/{id}/action'] === 4);

  title('kubectl delete: a final backup first, then the instance, then the object');
  await laptop.kube({ method: 'DELETE', path: RDS, deadlineMs: 1_000 });
  const isGone = () => !laptop.objects('Rds').some(({ metadata }) => metadata.name === 'shop');
  await follow(laptop, 'the delete', () => isGone());
  const [backup] = simulator.state.backups;
  expect(`the final backup ${backup?.name} stays`, backup?.status === 'COMPLETED');
  expect('no instance is left', simulator.state.instances.length === 0);
  expect('and no alarm', simulator.state.alarms.length === 0);
  expect('one create in all', creates() <= 1);
}

async function main(): Promise<void> {
  const startedAt = Date.now();
  const simulator = createSimulator({ speed: SPEED, automatedBackups: false });
  const cloud = await serveSimulator(simulator, { port: 0 });
  const config = readConfig({ OTC_SIMULATOR: 'embedded', PORT: '0' });
  const laptop = await createLaptop({
    clock: systemClock,
    controllerFiles: [new URL('../../metacontroller/controller.yaml', import.meta.url)],
    namespace: config.podNamespace,
    speed: 10,
    onProblem: (message) => say(`   ! ${message}`),
  });
  const otcSend = createUndiciSend();
  const service = await createService({
    config: { ...config, otc: demoVariables(cloud.url) },
    env: {},
    send: otcSend.send,
    log: createLogger('error'),
    kube: laptop.kube,
    version: 'demo',
  });
  const url = await service.app.listen({ host: '127.0.0.1', port: 0 });
  await laptop.start({ url });
  try {
    await tour(laptop, simulator);
    say(`\nThe tour took ${Math.round((Date.now() - startedAt) / 1000)} s. Try it yourself: make run`);
  } finally {
    laptop.stop();
    await service.close();
    await otcSend.close();
    await cloud.close();
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`\nthe demo failed: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  },
);
