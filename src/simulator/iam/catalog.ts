// The service catalog: clients find all other services through it, each in its own peculiar way.
import { REGION } from '../demo-account.ts';
import { fixedHex } from '../fixed-id.ts';

type Entry = { type: string; name: string; path: string };

const unscoped: Entry[] = [{ type: 'identity', name: 'keystone', path: '/v3' }];

const scoped = (project: string): Entry[] => [
  { type: 'rdsv3', name: 'rdsv3', path: `/rds/v3/${project}` },
  { type: 'smnv2', name: 'smnv2', path: `/smn/v2/${project}` },
  { type: 'smn', name: 'SimpleMessageNotification', path: '/smn/v2/' },
  { type: 'ces', name: 'cloudeye', path: '/ces/V1.0/' },
  { type: 'cesv1', name: 'cesv1', path: `/ces/V1.0/${project}` },
  // The Go SDK makes its CES address out of this one by replacing `v2` and `evs`.
  { type: 'volumev2', name: 'cinderv2', path: `/evs/v2/${project}` },
  { type: 'network', name: 'neutron', path: '/vpc' },
  { type: 'vpc', name: 'vpc', path: `/vpc/v1/${project}` },
];

export function catalogFor(origin: string, projectId: string | undefined): unknown[] {
  const entries = [...unscoped, ...(projectId ? scoped(projectId) : [])];
  return entries.map(({ type, name, path }) => ({
    id: fixedHex(`service ${type}`),
    name,
    type,
    endpoints: (type === 'identity' ? [REGION, '*'] : [REGION]).map((region) => ({
      id: fixedHex(`endpoint ${type} ${region}`),
      interface: 'public',
      region,
      region_id: region,
      url: origin + path,
    })),
  }));
}
