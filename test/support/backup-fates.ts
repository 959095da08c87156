// One RdsBackup and what may befall it, drawn from a seed: lost answers of cloud and cluster, killed replicas,
// pictures from the past, two calls at once, a delete at any time. Only what stays within the bounds that the
// settle time is computed from, so that the promises must hold.

import type { FastifyInstance } from 'fastify';
import { type KubeCall, KubeUnreachable } from '../../src/kube/api.ts';
import { createJournalStore } from '../../src/kube/journal.ts';
import { createReadLiveBackup } from '../../src/kube/live.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import {
  applyBackup,
  backupPath,
  callOnce,
  LIST,
  ORDER,
  REMOVE,
  removeBackup,
  type StoredBackup,
  storedBackup,
} from './backups.ts';
import { mortal } from './mortal-replica.ts';
import { SECOND, seededRandom, type World } from './world.ts';

const FINALIZER = 'metacontroller.io/compositecontroller-rdsbackup';

const WIRE: Fault['kind'][] = [
  '500-before',
  '500-after',
  'timeout-before',
  'timeout-after',
  '409',
  '429',
  '503',
];

export type Fate = { name: string; policy: 'Retain' | 'Delete'; isDeleted: boolean; isGone: boolean };

export type Chance = { random: () => number; troubled: boolean };

/** A cluster whose answers get lost now and then, before or after the effect. */
function flaky(call: KubeCall, chance: Chance): KubeCall {
  return async (request) => {
    const dice = chance.troubled ? chance.random() : 1;
    if (dice < 0.04) throw new KubeUnreachable('lost before');
    const answer = await call(request);
    if (dice < 0.08) throw new KubeUnreachable('lost after');
    return answer;
  };
}

/** A replica on that cluster; with `lives` it dies at that step to the outside. */
export function startTroubled(world: World, chance: Chance, lives?: number): Promise<FastifyInstance> {
  const call = flaky(world.api.call, chance);
  const nonce = () => chance.random().toString(36);
  const deps = {
    journal: createJournalStore({ call, namespace: 'rds-pilot', nonce, deadlineMs: 2_500 }),
    readLiveBackup: createReadLiveBackup(call, 2_500),
    openCloud: createOpenCloud({ send: world.simulator.send, clock: world.clock, random: chance.random }),
  };
  if (lives === undefined) return world.startReplica(deps);
  const when = chance.random() < 0.5 ? 'before' : 'after';
  return world.startReplica(mortal(deps, { step: lives, when }).deps);
}

/** One answered call; a `finalized` one takes the finalizer off, as Metacontroller does. */
async function called(world: World, replica: FastifyInstance, name: string, shown?: StoredBackup) {
  const { finalized } = await callOnce(world, replica, name, shown);
  if (finalized)
    await world.kube(
      'PATCH',
      backupPath(name),
      { metadata: { finalizers: [] } },
      'application/merge-patch+json',
    );
}

export async function live(
  world: World,
  replicas: FastifyInstance[],
  chance: Chance,
  name: string,
): Promise<Fate> {
  const { random } = chance;
  const below = (limit: number) => Math.floor(random() * limit);
  const policy = random() < 0.6 ? 'Delete' : 'Retain';
  await applyBackup(world, name, { rds: 'shop', deletionPolicy: policy });
  const finalizers = { metadata: { finalizers: [FINALIZER] } };
  await world.kube('PATCH', backupPath(name), finalizers, 'application/merge-patch+json');
  const past: StoredBackup[] = [];
  const replica = () => replicas[below(replicas.length)] as FastifyInstance;
  let isDeleted = false;

  const happenings: (() => Promise<unknown>)[] = [
    () => called(world, replica(), name),
    () => called(world, replica(), name),
    () => Promise.all([called(world, replica(), name), called(world, replica(), name)]),
    async () => {
      const shown = past[below(past.length)];
      if (shown) await called(world, replica(), name, shown);
    },
    async () => {
      const dying = await startTroubled(world, chance, 1 + below(8));
      await called(world, dying, name);
      await dying.close();
    },
    async () => {
      const kind = WIRE[below(WIRE.length)] ?? '503';
      world.simulator.faults.add({ match: [ORDER, LIST, REMOVE][below(3)] ?? ORDER, kind, times: 1 });
    },
    async () =>
      world.simulator.faults.add({ match: ORDER, kind: 'late', lateMs: below(60) * SECOND, times: 1 }),
    async () => world.simulator.faults.add({ match: LIST, kind: 'empty-list', times: 1 }),
    () => world.clock.advance(below(40) * SECOND),
    async () => {
      if (random() > 0.3) return;
      isDeleted = true;
      await removeBackup(world, name);
    },
  ];
  for (let step = 0; step < 30; step += 1) {
    const stored = await storedBackup(world, name);
    if (!stored) break;
    past.push(stored);
    await happenings[below(happenings.length)]?.();
  }
  chance.troubled = false;
  world.simulator.faults.clear();
  const isGone = await settles(world, replica(), name);
  chance.troubled = true;
  return { name, policy, isDeleted, isGone };
}

/** True when it is gone, false when it is complete; anything else within two hours is a failure to converge. */
async function settles(world: World, replica: FastifyInstance, name: string): Promise<boolean> {
  for (let calls = 0; calls < 240; calls += 1) {
    const stored = await storedBackup(world, name);
    if (!stored) return true;
    const { phase } = stored.status ?? {};
    if (stored.metadata.deletionTimestamp === undefined && phase === 'Completed') return false;
    await called(world, replica, name);
    await world.clock.advance(30 * SECOND);
  }
  throw new Error(`it does not converge: ${JSON.stringify((await storedBackup(world, name))?.status)}`);
}

export const chanceOf = (seed: number): Chance => ({ random: seededRandom(seed), troubled: true });
