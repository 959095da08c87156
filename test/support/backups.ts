// RdsBackups in the small world, as users handle them.

import type { FastifyInstance } from 'fastify';
import type { KubeObject } from '../../src/kube/api.ts';
import type { RdsBackupSpec, RdsBackupStatus } from '../../src/rds/backup.ts';
import { createWorld, MINUTE, SECOND, type World } from './world.ts';

export const ORDER = { service: 'rds' as const, method: 'POST', path: '/v3/{project}/backups' };
export const REMOVE = { service: 'rds' as const, method: 'DELETE', path: '/v3/{project}/backups/{id}' };
export const LIST = { service: 'rds' as const, method: 'GET', path: '/v3/{project}/backups' };

type Teardown = { teardown(end: () => Promise<void>): void };

/** A world with an Rds that is ready to be backed up. */
export async function withShop(t: Teardown, options: Parameters<typeof createWorld>[0] = {}): Promise<World> {
  const world = await createWorld(options);
  t.teardown(() => world.stop());
  await world.apply('shop', { deletionPolicy: 'Delete' });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(MINUTE);
  return world;
}

export type StoredBackup = KubeObject & { status?: RdsBackupStatus; spec: RdsBackupSpec };

export const backupPath = (name: string): string =>
  `/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdsbackups/${name}`;

export function applyBackup(world: World, name: string, spec: RdsBackupSpec) {
  const body = {
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'RdsBackup',
    metadata: { name, namespace: 'team-a' },
    spec,
  };
  const path = `${backupPath(name)}?fieldManager=kubectl&force=true`;
  return world.kube('PATCH', path, body, 'application/apply-patch+yaml');
}

export const storedBackup = async (world: World, name: string) =>
  (await world.object(backupPath(name))) as StoredBackup | undefined;

export const backupStatus = async (world: World, name: string): Promise<RdsBackupStatus> =>
  (await storedBackup(world, name))?.status ?? {};

export const removeBackup = (world: World, name: string) => world.kube('DELETE', backupPath(name));

/** Runs until the watch has shown what is wanted; false after the limit. */
async function comes(
  world: World,
  name: string,
  isThere: (stored: StoredBackup | undefined) => boolean,
  limitMs: number,
): Promise<boolean> {
  let reached = isThere(await storedBackup(world, name));
  const unwatch = world.api.watch(({ type, object }) => {
    if (object.kind === 'RdsBackup' && object.metadata.name === name)
      reached = isThere(type === 'DELETED' ? undefined : (object as StoredBackup));
  });
  const isReached = await world.clock.runUntil(() => reached, limitMs);
  unwatch();
  return isReached;
}

export const backupReaches = (world: World, name: string, phase: string, limitMs = 30 * MINUTE) =>
  comes(world, name, (stored) => stored?.status?.phase === phase, limitMs);

export const backupSays = (world: World, name: string, reason: string, limitMs = 30 * MINUTE) =>
  comes(
    world,
    name,
    (stored) => stored?.status?.conditions?.some((condition) => condition.reason === reason) === true,
    limitMs,
  );

export const backupIsGone = (world: World, name: string, limitMs = 30 * MINUTE) =>
  comes(world, name, (stored) => stored === undefined, limitMs);

export const manualBackups = (world: World) =>
  world.simulator.state.backups.filter(({ type }) => type === 'manual');

export const orders = (world: World): number =>
  world.simulator.calls().rds?.['POST /v3/{project}/backups'] ?? 0;

export const removals = (world: World): number =>
  world.simulator.calls().rds?.['DELETE /v3/{project}/backups/{id}'] ?? 0;

/** The Lease that safety rests on, as JSON. */
export async function backupJournal(world: World, uid: string | undefined): Promise<Record<string, unknown>> {
  const lease = await world.object(`/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-${uid}`);
  return JSON.parse(lease?.metadata.annotations?.['otc.mcsps.de/journal'] ?? '{}') as Record<string, unknown>;
}

/** Metacontroller's part by hand, on whichever replica: one hook call, and the status of the answer stored. */
export async function callOnce(
  world: World,
  replica: FastifyInstance,
  name: string,
  shown?: StoredBackup,
): Promise<{ code: number; finalized: boolean }> {
  const parent = shown ?? (await storedBackup(world, name));
  const rds = await world.rds('shop');
  const related = rds ? { 'Rds.otc.mcsps.de/v1alpha1': { 'team-a/shop': rds } } : {};
  const finalizing = parent?.metadata.deletionTimestamp !== undefined;
  const answer = replica.inject({
    method: 'POST',
    url: `/rdsbackup/${finalizing ? 'finalize' : 'sync'}`,
    payload: { parent, children: {}, related, finalizing },
  });
  // A lost call to the cloud takes its whole deadline.
  await world.clock.advance(SECOND);
  let isAnswered = false;
  void answer.then(() => {
    isAnswered = true;
  });
  await world.clock.runUntil(() => isAnswered, MINUTE);
  const { statusCode, body } = await answer;
  if (statusCode !== 200) return { code: statusCode, finalized: false };
  const { status, finalized = false } = JSON.parse(body) as { status: object; finalized?: boolean };
  const latest = await storedBackup(world, name);
  await world.kube('PUT', `${backupPath(name)}/status`, { ...latest, status });
  return { code: 200, finalized };
}
