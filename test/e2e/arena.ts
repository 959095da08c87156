// One engine with everything around it, on a control plane of its own: where scenarios are run.
import { copyFile, glob, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { EngineName } from '../cluster/engine.ts';
import {
  type OperatorCluster,
  type OperatorClusterOptions,
  startOperatorCluster,
} from '../cluster/operator-cluster.ts';
import { type Chronicle, startChronicle } from './chronicle.ts';
import { type Recorder, startRecorder } from './recorder.ts';

export type Arena = OperatorCluster & {
  name: EngineName;
  recorder: Recorder;
  chronicle: Chronicle;
  problems: string[];
  /** Edits the CompositeController; every call gives the spec a new value. */
  configure: (token?: string) => Promise<void>;
};

/** Building takes 3 s, a backup 1 s: longer than a call, shorter than the pace of a transition. */
const SPEED = 120;

export async function startArena(
  name: EngineName,
  options: Omit<OperatorClusterOptions, 'speed' | 'onProblem'> & { speed?: number },
): Promise<Arena> {
  const problems: string[] = [];
  const cluster = await startOperatorCluster({
    speed: SPEED,
    ...options,
    onProblem: (message) => problems.push(message),
  });
  const recorder = await startRecorder(() => cluster.replicas.map(({ port }) => port));
  const chronicle = await startChronicle(cluster.kube, recorder);
  let edits = 0;
  const configure = async (token = cluster.hookToken): Promise<void> => {
    edits += 1;
    await cluster.engine.configure({
      hookUrl: recorder.url,
      hookToken: token,
      resyncPeriodSeconds: 600 + edits,
    });
  };
  return {
    ...cluster,
    name,
    recorder,
    chronicle,
    problems,
    configure,
    stop: async () => {
      await cluster.engine.stop();
      await recorder.stop();
      await keepLogs(name, cluster.controlPlane.dir);
      await cluster.stop();
    },
  };
}

/** E2E_LOGS=<folder> keeps what every process said. */
async function keepLogs(name: string, dir: string): Promise<void> {
  const { E2E_LOGS: folder } = process.env;
  if (!folder) return;
  await mkdir(join(folder, name), { recursive: true });
  for await (const file of glob(join(dir, '*.log'))) await copyFile(file, join(folder, name, basename(file)));
}
