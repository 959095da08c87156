// The part of a Pod that a stand-in for the kubelet reads and writes.
import type { KubeObject } from '../../kube/api.ts';

type KeyRef = { name: string; key: string; optional?: boolean };

export type EnvVar = {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: KeyRef; configMapKeyRef?: KeyRef; fieldRef?: { fieldPath: string } };
};

export type SecurityContext = {
  runAsUser?: number;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  readOnlyRootFilesystem?: boolean;
};

export type Container = {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  env?: EnvVar[];
  envFrom?: unknown[];
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean; subPath?: string }[];
  resources?: { limits?: Record<string, string> };
  securityContext?: SecurityContext;
  terminationMessagePath?: string;
};

type FileItems = {
  items?: { key: string; path: string; mode?: number }[];
  defaultMode?: number;
  optional?: boolean;
};

export type Volume = {
  name: string;
  secret?: FileItems & { secretName: string };
  configMap?: FileItems & { name: string };
  emptyDir?: Record<string, unknown>;
  /** Tokens are not among the sources that are known here. */
  projected?: { defaultMode?: number; sources: ProjectedSource[] };
};

export type ProjectedSource = {
  secret?: FileItems & { name: string };
  configMap?: FileItems & { name: string };
};

export type ContainerState =
  | { waiting: { reason: string; message?: string } }
  | { running: { startedAt: string } }
  | {
      terminated: {
        exitCode: number;
        reason: string;
        message?: string;
        startedAt: string;
        finishedAt: string;
      };
    };

export type ContainerStatus = {
  name: string;
  image: string;
  imageID: string;
  ready: boolean;
  started: boolean;
  restartCount: 0;
  state: ContainerState;
};

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

export type Pod = KubeObject & {
  metadata: { deletionGracePeriodSeconds?: number };
  spec: {
    nodeName?: string;
    containers: Container[];
    initContainers?: Container[];
    volumes?: Volume[];
    activeDeadlineSeconds?: number;
    terminationGracePeriodSeconds?: number;
    securityContext?: SecurityContext & { fsGroup?: number; supplementalGroups?: number[] };
  };
  status?: { phase?: PodPhase; reason?: string; message?: string; containerStatuses?: ContainerStatus[] };
};

export const podPath = ({ metadata }: Pod): string =>
  `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
