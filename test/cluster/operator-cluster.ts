// The whole operator on a real control plane: CRDs, rights, simulated cloud, hook replicas and the engine.
import { join } from 'node:path';
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from './control-plane.ts';
import { createLocalEngine, createMetacontrollerEngine, type Engine, type EngineOptions } from './engine.ts';
import { type HookReplica, startHookReplica } from './hook-replica.ts';
import type { KubeClient } from './kube-client.ts';
import { installCrds } from './metacontroller.ts';
import { CHECKOUT } from './node-process.ts';
import { operatorRights } from './operator-rights.ts';
import { type SimulatedCloud, startSimulatedCloud } from './simulated-cloud.ts';

export type OperatorCluster = {
  controlPlane: ControlPlane;
  kube: KubeClient;
  cloud: SimulatedCloud;
  replicas: HookReplica[];
  engine: Engine;
  hookToken: string;
  stop: () => Promise<void>;
};

export type OperatorClusterOptions = {
  /** Folder of the real Metacontroller; the local loop when absent. */
  metacontrollerHome?: string | undefined;
  speed: number;
  listLagSeconds?: number;
  replicaCount?: number;
  replicaEnv?: Record<string, string>;
  /** Another copy of the sources for the replicas. */
  replicaRoot?: string;
  /** Another program in their place. */
  replicaEntry?: string;
  /** Behind each instance of the cloud. */
  realDatabases?: boolean;
  simulatorPort?: number;
  /** Another program in the simulator's place, which keeps its cloud in the file of that name. */
  simulator?: { entry: string; stateName: string };
  /** Who plays the local loop when there is no Metacontroller; it runs in this process by default. */
  createLoop?: (options: EngineOptions) => Promise<Engine>;
  log?: ControlPlaneOptions['log'];
  onProblem?: (message: string) => void;
  /** Runs before our CRDs are installed, as an older operator would have. */
  before?: (kube: KubeClient, controlPlane: ControlPlane) => Promise<void>;
};

const HOOK_TOKEN = 'a-token-that-only-the-two-sides-know';

export const installOperatorCrds = async (controlPlane: ControlPlane): Promise<void> => {
  for (const name of ['crd-rds', 'crd-rdsbackup'])
    await installCrds(controlPlane, join(CHECKOUT, 'metacontroller', `${name}.yaml`));
};

/** Everything but the CompositeController, which names the address that the caller chooses. */
export async function startOperatorCluster(options: OperatorClusterOptions): Promise<OperatorCluster> {
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    while (ends.length > 0) await ends.pop()?.();
  };
  try {
    const controlPlane = await startControlPlane(options.log ? { log: options.log } : {});
    ends.push(controlPlane.stop);
    const kube = controlPlane.client();
    await options.before?.(kube, controlPlane);
    await installOperatorCrds(controlPlane);
    await kube.applyYaml(operatorRights());
    const cloud = await startSimulatedCloud({
      dir: controlPlane.dir,
      speed: options.speed,
      ...(options.simulatorPort === undefined ? {} : { port: options.simulatorPort }),
      ...(options.listLagSeconds === undefined ? {} : { listLagSeconds: options.listLagSeconds }),
      ...(options.realDatabases ? { realDatabases: true } : {}),
      ...(options.simulator && {
        entry: options.simulator.entry,
        stateFile: join(controlPlane.dir, options.simulator.stateName),
      }),
    });
    ends.push(() => cloud.service.stop(1_000));
    const replicas: HookReplica[] = [];
    ends.push(() => Promise.all(replicas.map((replica) => replica.stop(2_000))));
    const numbers = Array.from({ length: options.replicaCount ?? 2 }, (_, index) => index + 1);
    await Promise.all(
      numbers.map(async (number) => {
        const replica = await startHookReplica({
          controlPlane,
          name: `hook-${number}`,
          hookToken: HOOK_TOKEN,
          cloudEnv: cloud.env,
          ...(options.replicaEnv ? { env: options.replicaEnv } : {}),
          ...(options.replicaRoot ? { root: options.replicaRoot } : {}),
          ...(options.replicaEntry ? { entry: options.replicaEntry } : {}),
        });
        replicas.push(replica);
      }),
    );
    const parts = { controlPlane, ...(options.onProblem ? { onProblem: options.onProblem } : {}) };
    const engine = options.metacontrollerHome
      ? await createMetacontrollerEngine(parts, options.metacontrollerHome)
      : await (options.createLoop ?? createLocalEngine)(parts);
    ends.push(engine.stop);
    return { controlPlane, kube, cloud, replicas, engine, hookToken: HOOK_TOKEN, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
