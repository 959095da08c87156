// What the page shows of an Rds. Values of Secrets never get here.

import type { KubeObject } from '../../kube/api.ts';
import { hasRunningPod, jobEnd } from '../../rds/job-state.ts';
import type { RdsSpec } from '../../rds/spec.ts';
import type { RdsStatus } from '../../rds/status.ts';
import { isRecord } from '../json.ts';
import { manifestText } from './manifest-text.ts';
import type { Sample } from './samples.ts';

export type Row = {
  key: string;
  namespace: string;
  name: string;
  phase: string;
  tone: 'good' | 'busy' | 'bad';
  message: string;
  engine: string;
  flavor: string;
  volumeGb: number | undefined;
  cpu: number | undefined;
  disk: number | undefined;
};

const statusOf = (rds: KubeObject): RdsStatus => (rds.status ?? {}) as RdsStatus;
const specOf = (rds: KubeObject): RdsSpec => (rds.spec ?? {}) as RdsSpec;

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

function messageOf({ conditions = [] }: RdsStatus): string {
  const ready = conditions.find(({ type }) => type === 'Ready');
  const progress = conditions.find(({ type, status }) => type === 'Progressing' && status === 'True');
  if (progress) return progress.message;
  return ready && ready.status !== 'True' ? ready.message : '';
}

export function rowOf(rds: KubeObject, sample: Sample | undefined): Row {
  const spec = specOf(rds);
  const status = statusOf(rds);
  const phase = status.phase ?? (rds.metadata.deletionTimestamp ? 'Deleting' : 'Pending');
  return {
    key: keyOf(rds),
    namespace: rds.metadata.namespace ?? '',
    name: rds.metadata.name,
    phase,
    tone: phase === 'Ready' ? 'good' : phase === 'Failed' ? 'bad' : 'busy',
    message: messageOf(status),
    engine: [spec.datastoretype, status.engineVersion ?? spec.datastoreversion].filter(Boolean).join(' '),
    flavor: status.flavor ?? spec.flavorref ?? '',
    volumeGb: status.volumeGb ?? spec.volumesize,
    cpu: sample?.cpu === undefined ? undefined : Math.round(sample.cpu),
    disk: sample?.disk === undefined ? undefined : Math.round(sample.disk),
  };
}

export type Detail = {
  key: string;
  manifest: string;
  generation: number;
  isDeleting: boolean;
  facts: { name: string; value: string }[];
  plan: NonNullable<RdsStatus['plan']>;
  conditions: { type: string; status: string; reason: string; message: string; since: string }[];
  children: { kind: string; name: string; facts: string }[];
  logs: RdsStatus['logJob'];
};

export function detailOf(
  rds: KubeObject,
  children: readonly KubeObject[],
  backups: readonly KubeObject[],
): Detail {
  const status = statusOf(rds);
  return {
    key: keyOf(rds),
    manifest: manifestText(rds),
    generation: rds.metadata.generation ?? 0,
    isDeleting: rds.metadata.deletionTimestamp !== undefined,
    facts: factsOf(rds),
    plan: status.plan ?? [],
    conditions: (status.conditions ?? []).map(
      ({ type, status: holds, reason, message, lastTransitionTime }) => ({
        type,
        status: holds,
        reason,
        message,
        since: lastTransitionTime,
      }),
    ),
    children: [...children, ...backups].map(childOf).sort((one, other) => (one.kind < other.kind ? -1 : 1)),
    logs: status.logJob,
  };
}

function factsOf(rds: KubeObject): Detail['facts'] {
  const spec = specOf(rds);
  const { ip, port, id, status, volumeGb, flavor, engineVersion } = statusOf(rds);
  const facts: [string, string | undefined][] = [
    ['State in the cloud', status],
    ['Engine', [spec.datastoretype, engineVersion ?? spec.datastoreversion].filter(Boolean).join(' ')],
    ['Machine', flavor ?? spec.flavorref],
    ['Disk', volumeGb === undefined ? undefined : `${volumeGb} GB`],
    ['Address', ip && port ? `${ip}:${port}` : ip],
    ['When deleted', spec.deletionPolicy],
    ['Instance', id],
  ];
  return facts.flatMap(([name, value]) => (value ? [{ name, value }] : []));
}

function childOf(child: KubeObject): Detail['children'][number] {
  return { kind: child.kind, name: child.metadata.name, facts: childFacts(child) };
}

function childFacts(child: KubeObject): string {
  const { kind, status } = child;
  const spec = isRecord(child.spec) ? child.spec : {};
  if (kind === 'Secret') {
    const keys = Object.keys(isRecord(child.data) ? child.data : {});
    return `${keys.join(', ')} (values hidden)`;
  }
  if (kind === 'Service' && Array.isArray(spec.ports))
    return spec.ports.map((port) => `port ${isRecord(port) ? port.port : ''}`).join(', ');
  if (kind === 'EndpointSlice' && Array.isArray(child.endpoints))
    return child.endpoints.flatMap((one) => (isRecord(one) ? one.addresses : [])).join(', ');
  if (kind === 'RdsBackup') return isRecord(status) ? `${status.phase ?? ''}` : 'Pending';
  if (kind === 'Job') return jobFacts(child);
  return '';
}

function jobFacts(job: KubeObject): string {
  const end = jobEnd(job);
  if (end) return end.succeeded ? 'succeeded' : `failed: ${end.because}`;
  return hasRunningPod(job) ? 'runs' : 'waits';
}
