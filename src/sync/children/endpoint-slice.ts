// The address behind the Service; follows the instance when its IP or port changes.

import { serviceName } from '../../rds/names.ts';
import type { ChildObject } from '../decide/observed.ts';
import { MANAGED_BY } from './labels.ts';
import type { Endpoint } from './service.ts';

export function endpointSlice({ name, namespace, ip, port }: Endpoint): ChildObject {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: serviceName(name),
      namespace,
      labels: {
        ...MANAGED_BY,
        'kubernetes.io/service-name': serviceName(name),
        'endpointslice.kubernetes.io/managed-by': 'rds-pilot',
      },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: 'db', port, protocol: 'TCP' }],
  };
}
