// Everything that can be hurt: the operator on a real control plane, each part a process of its own.
import { join } from 'node:path';
import { startBalancer } from '../cluster/balancer.ts';
import { startOperatorCluster } from '../cluster/operator-cluster.ts';
import type { Service } from '../cluster/service.ts';
import type { Target } from './attacks.ts';
import { type Evidence, gather } from './evidence.ts';
import { createLoopProcess, entryOf } from './loop-engine.ts';
import { type Incarnation, NAMESPACE } from './people.ts';
import type { Victim } from './violence.ts';

export type StageOptions = {
  metacontrollerHome?: string | undefined;
  replicas: number;
  /** Another copy of the sources for the hooks. */
  hooks?: string | undefined;
  onProblem: (message: string) => void;
};

export type Stage = Awaited<ReturnType<typeof startStage>>;

/** Building takes 3 s, a backup 1 s: longer than a call, shorter than the pace of a transition. */
const SPEED = 120;
/** A new instance is missing from lists for a while; the hooks know the bound, and that effects come at once. */
const LIST_LAG_SECONDS = 3;
const STATE_NAME = 'simulator.json';

const victimOf = (service: Service): Victim => ({
  kill: service.kill,
  start: service.start,
  stop: () => service.stop(5_000),
  pause: service.pause,
  resume: service.resume,
  isAlive: () => service.pid() !== undefined,
});

export async function startStage({ metacontrollerHome, replicas, hooks, onProblem }: StageOptions) {
  const balancer = await startBalancer();
  const cluster = await startOperatorCluster({
    metacontrollerHome,
    speed: SPEED,
    replicaCount: replicas,
    listLagSeconds: LIST_LAG_SECONDS,
    replicaEnv: { OTC_LIST_LAG_SECONDS: `${LIST_LAG_SECONDS}` },
    simulator: {
      entry: entryOf(new URL('./durable-simulator.ts', import.meta.url)),
      stateName: STATE_NAME,
    },
    createLoop: createLoopProcess,
    onProblem,
    ...(hooks === undefined ? {} : { replicaRoot: hooks }),
  }).catch(async (error: unknown) => {
    await balancer.stop();
    throw error;
  });
  const { controlPlane, kube, cloud, engine } = cluster;
  const stop = async (): Promise<void> => {
    // Asked politely it takes ten seconds over its broken connections.
    await engine.kill();
    await cluster.stop();
    await balancer.stop();
  };
  try {
    for (const { port } of cluster.replicas) balancer.add(port);
    await engine.configure({ hookUrl: balancer.url, hookToken: cluster.hookToken });
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  } catch (error) {
    await stop();
    throw error;
  }
  const victims: Record<Target, Victim> = {
    ...Object.fromEntries(cluster.replicas.map((replica) => [replica.name, victimOf(replica)])),
    simulator: victimOf(cloud.service),
    etcd: victimOf(controlPlane.etcd),
    'kube-apiserver': victimOf(controlPlane.apiServer),
    'kube-controller-manager': victimOf(controlPlane.controllerManager),
    loop: { kill: engine.kill, start: engine.start },
  };
  return {
    kube,
    cloud,
    engine: engine.name,
    dir: controlPlane.dir,
    victims,
    /** Every connection between loop and hooks breaks; new ones are taken at once. */
    cut: (): void => {
      for (const { port } of cluster.replicas) {
        balancer.remove(port, { cut: true });
        balancer.add(port);
      }
    },
    gather: (incarnations: readonly Incarnation[]): Promise<Evidence> =>
      gather(kube, cloud, join(controlPlane.dir, STATE_NAME), incarnations),
    stop,
  };
}
