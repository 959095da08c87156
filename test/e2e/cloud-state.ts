// What the simulated cloud really holds for one Rds, told by instance names: they carry namespace and name.
import type { SimulatedCloud } from '../cluster/simulated-cloud.ts';
import type { CloudState } from './scenario.ts';

const UID_TAG = 'rds-pilot-uid';

const isOf = (namespace: string, name: string, instance: string): boolean =>
  instance.startsWith(`${namespace}_${name}_`) &&
  /^[0-9a-f]{12}$/.test(instance.slice(-12)) &&
  instance.length === `${namespace}_${name}_`.length + 12;

export async function cloudStateOf(
  cloud: SimulatedCloud,
  namespace: string,
  name: string,
): Promise<Required<CloudState> & { doubled: string[] }> {
  const [instances, events, backups] = await Promise.all([
    cloud.instances(),
    cloud.events(),
    cloud.backups(),
  ]);
  const now = instances.filter((instance) => isOf(namespace, name, instance.name));
  const mine = events.filter((event) => isOf(namespace, name, event.name));
  const made = mine.filter(({ kind }) => kind === 'create');
  const ids = new Set(mine.map(({ instanceId }) => instanceId));
  // One name is one UID: twice the same name is two databases for one Rds.
  const names = made.map((event) => event.name);
  return {
    created: made.length,
    now: now.length,
    restarts: mine.filter(({ kind }) => kind === 'restart').length,
    finalBackups: backups.filter(
      ({ instanceId, name: backup, status }) =>
        ids.has(instanceId) && backup.startsWith('final-') && status === 'COMPLETED',
    ).length,
    tagged: now.length > 0 && now.every(({ tags }) => tags.some(({ key }) => key === UID_TAG)),
    doubled: names.filter((each, index) => names.indexOf(each) !== index),
  };
}

/** Instances of a namespace that none of the named Rds accounts for. */
export async function strayInstances(
  cloud: SimulatedCloud,
  namespace: string,
  known: readonly string[],
): Promise<string[]> {
  const instances = await cloud.instances();
  return instances
    .map(({ name }) => name)
    .filter((name) => name.startsWith(`${namespace}_`) && !known.some((each) => isOf(namespace, each, name)));
}

const isWrite = (call: string): boolean => /^rds (POST|PUT|PATCH|DELETE) /.test(call);

export const writesOf = (calls: Record<string, number>): number =>
  Object.entries(calls).reduce((sum, [call, count]) => sum + (isWrite(call) ? count : 0), 0);

export const totalOf = (calls: Record<string, number>): number =>
  Object.values(calls).reduce((sum, count) => sum + count, 0);
