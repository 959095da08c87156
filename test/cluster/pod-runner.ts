// Stands in for scheduler and kubelet: every pending Pod is bound to one pretended node and its containers run as
// local processes, so that the real job controller sees them complete or fail.
import { appendFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeCall } from '../../src/kube/api.ts';
import type { StreamName } from '../../src/local/pods/container-process.ts';
import { checkoutImage, type LocalImage } from '../../src/local/pods/image.ts';
import { type PodRun, startPod } from '../../src/local/pods/run.ts';
import { type Pod, podPath } from '../../src/local/pods/types.ts';
import type { ControlPlane } from './control-plane.ts';
import type { KubeClient } from './kube-client.ts';
import { type NodeLogs, serveNodeLogs } from './node-logs.ts';
import { boxOf, type Isolation, probeIsolation } from './sandbox.ts';
import { waitFor } from './wait-for.ts';

export type PodRunnerOptions = {
  controlPlane: ControlPlane;
  log?: (line: string) => void;
  /** What runs for an image name; the checkout with its Node for every name by default. */
  imageOf?: (image: string) => LocalImage;
  nodeName?: string;
  /** The best this machine can do by default. */
  isolation?: Isolation;
};

export type Output = { stdout: string; stderr: string };

export type PodRunner = {
  isolation: Isolation;
  nodeName: string;
  /** Of the newest pod of that name; kept after the pod is gone. */
  output: (namespace: string, pod: string, container: string) => Promise<Output>;
  /** Every container's output of every pod so far, e.g. to look for leaked secrets. */
  outputs: () => Promise<(Output & { namespace: string; pod: string; container: string })[]>;
  /** Ends what still runs. */
  stop: () => Promise<void>;
};

const outputFile = (dir: string, container: string, stream: StreamName): string =>
  join(dir, `${container}.${stream}`);

async function registerNode(kube: KubeClient, name: string, logs: NodeLogs): Promise<void> {
  await kube.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
  const seen = new Date().toISOString();
  await kube.patchStatus(`/api/v1/nodes/${name}`, {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: logs.port } },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'PodRunner',
        message: 'pods run as local processes',
        lastHeartbeatTime: seen,
        lastTransitionTime: seen,
      },
    ],
  });
}

export async function startPodRunner(options: PodRunnerOptions): Promise<PodRunner> {
  const { controlPlane, imageOf = checkoutImage, nodeName = 'pod-runner', log = () => {} } = options;
  const kube = controlPlane.client();
  const probed = options.isolation ? { isolation: options.isolation } : probeIsolation();
  const { isolation } = probed;
  if ('why' in probed && probed.why)
    log(`pods run without a mount namespace, paths are replaced: ${probed.why}`);
  const root = join(controlPlane.dir, nodeName);
  await mkdir(root, { recursive: true });

  const call: KubeCall = ({ method, path, body, contentType }) => kube.send(method, path, body, contentType);
  const runs = new Map<string, PodRun>();
  const started = new Map<string, { namespace: string; pod: string; dir: string; containers: string[] }>();
  let stopping = false;

  const remove = (pod: Pod) =>
    kube
      .delete(podPath(pod), { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid ?? '' } })
      .catch(() => false);

  const bind = async (pod: Pod): Promise<Pod | undefined> => {
    const { name, uid } = pod.metadata;
    const target = { apiVersion: 'v1', kind: 'Node', name: nodeName };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name, uid }, target };
    const { status } = await kube.send('POST', `${podPath(pod)}/binding`, binding);
    // Read again: a deletion from here on is seen as an event of a pod that runs.
    return status < 300 ? kube.find<Pod>(podPath(pod)) : undefined;
  };

  const run = async (pod: Pod, uid: string): Promise<void> => {
    const { namespace = 'default', name } = pod.metadata;
    const dir = join(root, `${namespace}_${name}_${uid}`);
    const mine = startPod({
      kube: call,
      pod,
      dir,
      imageOf,
      box: boxOf(isolation),
      kill: (pid, signal) => process.kill(pid, signal),
      onOutput: (container, stream, chunk) => appendFileSync(outputFile(dir, container, stream), chunk),
    });
    runs.set(uid, mine);
    started.set(uid, { namespace, pod: name, dir, containers: pod.spec.containers.map((each) => each.name) });
    await mine.ended;
    runs.delete(uid);
    const after = await kube.find<Pod>(podPath(pod)).catch(() => undefined);
    if (after?.metadata.uid === uid && after.metadata.deletionTimestamp) await remove(after);
  };

  const claimed = new Set<string>();
  const claim = async (pod: Pod, uid: string): Promise<void> => {
    claimed.add(uid);
    const bound = await bind(pod).catch(() => undefined);
    if (!bound) claimed.delete(uid);
    else if (bound.metadata.uid === uid && !bound.metadata.deletionTimestamp) await run(bound, uid);
  };

  const onDeleting = (pod: Pod): void => {
    const active = runs.get(pod.metadata.uid ?? '');
    if (active) active.terminate(pod.metadata.deletionGracePeriodSeconds ?? 30);
    else if (pod.spec.nodeName === nodeName) void remove(pod);
  };

  const onPod = (pod: Pod, isDeleted: boolean): void => {
    const uid = pod.metadata.uid ?? '';
    if (isDeleted) runs.get(uid)?.terminate(0);
    else if (pod.metadata.deletionTimestamp) onDeleting(pod);
    else if (!claimed.has(uid) && !pod.spec.nodeName && !stopping) void claim(pod, uid);
  };

  const outputOf = async (dir: string, container: string): Promise<Output> => {
    const read = (stream: StreamName) => readFile(outputFile(dir, container, stream), 'utf8').catch(() => '');
    return { stdout: await read('stdout'), stderr: await read('stderr') };
  };
  const newest = (namespace: string, name: string) =>
    [...started.values()].reverse().find((each) => each.namespace === namespace && each.pod === name);

  const logs = await serveNodeLogs({
    tls: { certFile: controlPlane.caFile, keyFile: controlPlane.servingKeyFile },
    ended: async (namespace, name) => {
      const isIt = (each: { namespace: string; pod: string }) =>
        each.namespace === namespace && each.pod === name;
      const [uid] = [...started].reverse().find(([, each]) => isIt(each)) ?? [];
      await runs.get(uid ?? '')?.ended;
    },
    read: async (namespace, name, container) => {
      const found = newest(namespace, name);
      if (!found) return undefined;
      const { stdout, stderr } = await outputOf(found.dir, container);
      return stdout + stderr;
    },
  });
  await registerNode(kube, nodeName, logs);
  const watch = kube.watch('/api/v1/pods', ({ type, object }) => onPod(object as Pod, type === 'DELETED'));

  return {
    isolation,
    nodeName,
    output: async (namespace, name, container) => {
      const found = newest(namespace, name);
      if (!found) throw new Error(`no pod ${namespace}/${name} was run`);
      return outputOf(found.dir, container);
    },
    outputs: () =>
      Promise.all(
        [...started.values()].flatMap(({ namespace, pod, dir, containers }) =>
          containers.map(async (container) => ({
            namespace,
            pod,
            container,
            ...(await outputOf(dir, container)),
          })),
        ),
      ),
    stop: async () => {
      if (stopping) return;
      stopping = true;
      for (const each of runs.values()) each.terminate(1);
      await waitFor('the pods to end', () => runs.size === 0);
      watch.close();
      await logs.stop();
    },
  };
}
