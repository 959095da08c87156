// etcd, kube-apiserver and kube-controller-manager, as the Go module beside this file pins them.
import { join } from 'node:path';
import { buildOnce, type Log } from './go-build.ts';

export type Binaries = { etcd: string; apiServer: string; controllerManager: string };

export const KUBE_VERSION = 'v1.36.3';

const VERSION = 'k8s.io/component-base/version';
const [, MAJOR, MINOR] = /^v(\d+)\.(\d+)/.exec(KUBE_VERSION) ?? [];
const PIN = {
  module: join(import.meta.dirname, 'binaries'),
  packages: {
    etcd: 'go.etcd.io/etcd/server/v3',
    'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
    'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  },
  // Without these the binaries call themselves v0.0.0 and clients refuse features.
  ldflags: `-s -w -X ${VERSION}.gitVersion=${KUBE_VERSION} -X ${VERSION}.gitMajor=${MAJOR} -X ${VERSION}.gitMinor=${MINOR}`,
};

export async function ensureBinaries(log?: Log, env?: NodeJS.ProcessEnv): Promise<Binaries> {
  const {
    etcd = '',
    'kube-apiserver': apiServer = '',
    'kube-controller-manager': controllerManager = '',
  } = await buildOnce(PIN, log, env);
  return { etcd, apiServer, controllerManager };
}
