// A headless Service without selector: a stable name for an address outside the cluster.

import { serviceName } from '../../rds/names.ts';
import type { ChildObject } from '../decide/observed.ts';
import { MANAGED_BY } from './labels.ts';

export type Endpoint = { name: string; namespace: string; ip: string; port: number };

export function service({ name, namespace, port }: Endpoint): ChildObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: serviceName(name), namespace, labels: MANAGED_BY },
    spec: { clusterIP: 'None', ports: [{ name: 'db', port, protocol: 'TCP', targetPort: port }] },
  };
}
