// What is so, from the cloud's own view and the API server's: what the oracles judge.
import { readFileSync } from 'node:fs';
import type { KubeObject } from '../../src/kube/api.ts';
import type { KubeClient } from '../cluster/kube-client.ts';
import type { CloudBackup, CloudEvent, CloudInstance, SimulatedCloud } from '../cluster/simulated-cloud.ts';
import { type Incarnation, NAMESPACE, RDS_PATH } from './people.ts';

type Condition = {
  type: string;
  status: string;
  reason: string;
  message?: string;
  observedGeneration?: number;
};

export type StoredRds = KubeObject & {
  status?: { phase?: string; id?: string; conditions?: Condition[]; handled?: Record<string, string> };
};

export type Evidence = {
  incarnations: readonly Incarnation[];
  objects: StoredRds[];
  instances: CloudInstance[];
  events: CloudEvent[];
  backups: CloudBackup[];
  /** Root password by instance id, from the cloud's saved state. */
  passwords: Record<string, string>;
  /** Password by name of the Secret that people connect with. */
  secrets: Record<string, string>;
};

type Secret = KubeObject & { data?: Record<string, string> };
type Saved = { world: { instances: Record<string, { password: string }> } };

function passwordsIn(stateFile: string): Record<string, string> {
  const { world } = JSON.parse(readFileSync(stateFile, 'utf8')) as Saved;
  return Object.fromEntries(Object.entries(world.instances).map(([id, { password }]) => [id, password]));
}

export async function gather(
  kube: KubeClient,
  cloud: SimulatedCloud,
  stateFile: string,
  incarnations: readonly Incarnation[],
): Promise<Evidence> {
  // The history first: whatever it tells must be seen to have its reasons.
  const events = await cloud.events();
  const [objects, secrets, instances, backups] = await Promise.all([
    kube.list<StoredRds>(RDS_PATH),
    kube.list<Secret>(`/api/v1/namespaces/${NAMESPACE}/secrets`),
    cloud.instances(),
    cloud.backups(),
  ]);
  const decoded = secrets.map(({ metadata, data }) => [
    metadata.name,
    Buffer.from(data?.password ?? '', 'base64').toString(),
  ]);
  return {
    incarnations,
    objects,
    instances,
    events,
    backups,
    passwords: passwordsIn(stateFile),
    secrets: Object.fromEntries(decoded),
  };
}
