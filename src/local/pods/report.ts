// What a kubelet tells about a pod: phase, conditions and the state of each container.
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeCall } from '../../kube/api.ts';
import { type ContainerState, type Pod, type PodPhase, podPath } from './types.ts';

export type PodReport = {
  set: (container: string, state: ContainerState) => void;
  /** Told until the API server has it, or says that the pod is gone. */
  tell: (phase: PodPhase, why?: { reason?: string; message?: string }) => Promise<void>;
};

const GIVE_UP_AFTER = 100;
const RETRY_MS = 300;
const DEADLINE_MS = 10_000;

export const now = (): string => `${new Date().toISOString().slice(0, 19)}Z`;

export function createPodReport(kube: KubeCall, pod: Pod): PodReport {
  const startTime = now();
  const states = new Map<string, ContainerState>();

  const status = (phase: PodPhase) => {
    const containerStatuses = pod.spec.containers.map(({ name, image }) => {
      const state = states.get(name) ?? { waiting: { reason: 'ContainerCreating' } };
      const isRunning = 'running' in state;
      return { name, image, imageID: '', ready: isRunning, started: isRunning, restartCount: 0, state };
    });
    const isReady = containerStatuses.every(({ ready }) => ready);
    const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type, index) => ({
      type,
      status: index < 2 || isReady ? 'True' : 'False',
      lastTransitionTime: now(),
    }));
    return { phase, startTime, podIP: '127.0.0.1', conditions, containerStatuses };
  };

  const tell: PodReport['tell'] = async (phase, why = {}) => {
    const body = { metadata: { uid: pod.metadata.uid }, status: { ...status(phase), ...why } };
    for (let attempt = 0; attempt < GIVE_UP_AFTER; attempt += 1) {
      const answer = await kube({
        method: 'PATCH',
        path: `${podPath(pod)}/status`,
        contentType: 'application/merge-patch+json',
        body,
        deadlineMs: DEADLINE_MS,
      }).catch(() => undefined);
      // 404 and 409: the pod is gone, or another one has its name; there is nobody left to tell.
      if (answer && (answer.status < 300 || answer.status === 404 || answer.status === 409)) return;
      await sleep(RETRY_MS);
    }
  };

  return { set: (container, state) => states.set(container, state), tell };
}
