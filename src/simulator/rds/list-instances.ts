// `GET /instances`: the only way to see an instance; an unknown id is an empty list, not an error.
import { queryInteger } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField } from '../refusal.ts';
import type { Instance } from './types.ts';
import { instanceShape } from './wire.ts';

type Filter = (instance: Instance, wanted: string) => boolean;

const filters: Readonly<Record<string, Filter>> = {
  id: (instance, wanted) => instance.id === wanted,
  name: (instance, wanted) =>
    wanted.startsWith('*') ? instance.name.includes(wanted.slice(1)) : instance.name === wanted,
  type: (instance, wanted) => instance.type === wanted,
  datastore_type: (instance, wanted) => instance.engine === wanted,
  vpc_id: (instance, wanted) => instance.vpcId === wanted,
  subnet_id: (instance, wanted) => instance.subnetId === wanted,
  tags: (instance, wanted) => wanted.split(',').every((pair) => hasTag(instance, pair)),
};

function hasTag(instance: Instance, pair: string): boolean {
  const [key = '', value] = pair.split('=');
  return instance.tags.some((tag) => tag.key === key && (value === undefined || tag.value === value));
}

const knownTypes = new Set(['Single', 'Ha', 'Replica']);

export function listInstances(call: Call): Answer {
  const { query } = call;
  const offset = queryInteger(query, 'offset', { default: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
  const limit = queryInteger(query, 'limit', { default: 100, min: 1, max: 100 });
  const type = query.get('type');
  if (type && !knownTypes.has(type)) throw new BadField('type', 'it must be Single, Ha or Replica');
  const visible = visibleInstances(call).filter((instance) => isWanted(instance, query));
  const rows = call.settings.shuffleList ? call.random.shuffled(visible) : visible;
  const replicas = Map.groupBy(Object.values(call.world.instances), ({ replicaOf }) => replicaOf);
  return json(200, {
    instances: rows
      .slice(offset, offset + limit)
      .map((instance) => instanceShape(instance, replicas.get(instance.id) ?? [], query.has('id'), call.now)),
    total_count: rows.length,
  });
}

function isWanted(instance: Instance, query: URLSearchParams): boolean {
  for (const [key, value] of query)
    if (value !== '' && filters[key]?.(instance, value) === false) return false;
  return true;
}

/** Newest first. Lists may lag behind: new ones missing, deleted ones still there. */
function visibleInstances(call: Call): Instance[] {
  const { world, now, settings } = call;
  const ghosts = Object.values(world.deleted).filter(({ deletedAt }) => deletedAt + settings.goneLagMs > now);
  return [...Object.values(world.instances), ...ghosts]
    .filter((instance) => instance.projectId === call.identity.projectId && instance.visibleAt <= now)
    .reverse();
}
