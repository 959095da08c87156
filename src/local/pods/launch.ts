// From a container's spec to the command line that runs it here.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeCall } from '../../kube/api.ts';
import type { Box, Launch, Mount } from './box.ts';
import type { LocalImage } from './image.ts';
import { containerInputs, Unsupported, writeVolumes } from './inputs.ts';
import type { Container, Pod } from './types.ts';

export type PodLaunchOptions = {
  kube: KubeCall;
  pod: Pod;
  /** The pod's own folder; the volumes in it go when the pod has ended. */
  dir: string;
  imageOf: (image: string) => LocalImage;
  box: Box;
};

export type PreparedContainer = {
  container: Container;
  launch: Launch;
  /** What the container leaves as its last words. */
  messageFile: string;
};

const MESSAGE_PATH = '/dev/termination-log';

export const volumesFolder = (dir: string): string => join(dir, 'volumes');

function mountsOf(pod: Pod, container: Container, volumes: Map<string, string>): Mount[] {
  const emptyDirs = new Set(pod.spec.volumes?.filter(({ emptyDir }) => emptyDir).map(({ name }) => name));
  return (container.volumeMounts ?? []).map(({ name, mountPath, readOnly = false, subPath }) => {
    const source = volumes.get(name);
    if (source === undefined || subPath) throw new Unsupported(`the mount ${mountPath} of ${container.name}`);
    // Files from Secrets and ConfigMaps are always read-only, as with a kubelet.
    return { source, path: mountPath, readOnly: readOnly || !emptyDirs.has(name) };
  });
}

function identityOf(pod: Pod, container: Container, imageUser: number) {
  const { fsGroup, supplementalGroups = [], ...podSecurity } = pod.spec.securityContext ?? {};
  const security = { ...podSecurity, ...container.securityContext };
  const user = security.runAsUser ?? imageUser;
  if (security.runAsNonRoot && user === 0)
    throw new Unsupported('runAsNonRoot with an image that runs as root');
  return {
    user,
    group: security.runAsGroup ?? user,
    groups: fsGroup === undefined ? supplementalGroups : [fsGroup, ...supplementalGroups],
    readOnlyRoot: security.readOnlyRootFilesystem ?? false,
  };
}

/** Throws Unsupported for what can never run here, another error for what may appear later. */
export async function preparePod(options: PodLaunchOptions): Promise<PreparedContainer[]> {
  const { kube, pod, dir, imageOf, box } = options;
  if (pod.spec.initContainers?.length) throw new Unsupported('initContainers');
  const volumes = await writeVolumes({ kube, pod, hasOwnUser: box.hasOwnUser }, volumesFolder(dir));
  return Promise.all(
    pod.spec.containers.map(async (container) => {
      const { env, command, args = [] } = await containerInputs(kube, pod, container);
      const image = imageOf(container.image);
      const boxDir = join(dir, `${container.name}.box`);
      await mkdir(boxDir, { recursive: true });
      const messageFile = join(dir, `${container.name}.message`);
      await writeFile(messageFile, '');
      await chmod(messageFile, 0o666);
      const launch = box.launch({
        argv: [...(command ?? image.entrypoint), ...args],
        env: { HOME: '/', HOSTNAME: pod.metadata.name, PATH: image.path.join(':'), ...env },
        cwd: container.workingDir ?? image.workingDir,
        mounts: [
          { source: image.folder, path: image.workingDir, readOnly: true },
          ...mountsOf(pod, container, volumes),
          { source: messageFile, path: container.terminationMessagePath ?? MESSAGE_PATH, readOnly: false },
        ],
        ...identityOf(pod, container, image.user),
        boxDir,
      });
      return { container, launch, messageFile };
    }),
  );
}
