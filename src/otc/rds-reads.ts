// The RDS calls that change nothing.

import { CloudError } from '../errors.ts';
import type { Call } from './call.ts';
import type { Cloud, Engine, Flavor, Fresh, Parameter } from './cloud.ts';
import { type Json, need, neededObjects, numberOf, objectOf, textOf } from './json.ts';
import { collectPages, type Page, totalOf } from './pages.ts';
import {
  type InstanceRow,
  readBackup,
  readFlavor,
  readInstanceRow,
  readJob,
  readParameter,
  readTask,
} from './rds-wire.ts';

/** The most that OTC gives per page. */
export const pageLimit = 100;
const taskPageLimit = 50;
const unknownJob = 'DBS.200543';
const unknownInstance = new Set(['DBS.200002', 'DBS.290005']);

export type RdsReads = Pick<
  Cloud,
  | 'findInstanceById'
  | 'findInstancesByName'
  | 'findInstancesByNamePart'
  | 'findJob'
  | 'tasks'
  | 'backups'
  | 'freeInstances'
  | 'restoreRanges'
>;

export function createRdsReads(call: Call): RdsReads {
  const get = <T>(path: string, query: Record<string, string | number>, read: (body: Json) => T) =>
    call({ service: 'rds', method: 'GET', path, query, read });

  // By pages even where one row is expected: a page shorter than its total must not pass for absence.
  const instances = async (query: Record<string, string>) => {
    const { value, at } = await collectPages(
      (offset) => fetchInstancePage(call, { ...query, offset }),
      pageLimit,
    );
    return { at, found: value.flatMap(({ instance }) => instance ?? []) };
  };

  return {
    // The filters are asked of the cloud, but not trusted: a wrong hit would be someone else's database.
    async findInstanceById(id) {
      const { found, at } = await instances({ id });
      return { value: found.find((instance) => instance.id === id), at };
    },

    async findInstancesByName(name) {
      const { found, at } = await instances({ name });
      return { value: found.filter((instance) => instance.name === name), at };
    },

    async findInstancesByNamePart(part) {
      // A leading star makes the filter a substring search.
      const { found, at } = await instances({ name: `*${part}` });
      return { value: found.filter(({ name }) => name.includes(part)), at };
    },

    async findJob(id) {
      try {
        return (await get('/jobs', { id }, (body) => readJob(objectOf(body, 'job')))).value;
      } catch (error) {
        if (error instanceof CloudError && error.code === unknownJob) return undefined;
        throw error;
      }
    },

    async tasks(instanceId, sinceMs) {
      const read = (body: Json) => ({
        items: neededObjects(body, 'tasks').map(readTask),
        total: totalOf(body),
      });
      const query = { instance_id: instanceId, start_time: sinceMs, limit: taskPageLimit };
      const { value } = await collectPages(
        (offset) => get('/tasklist', { ...query, offset }, read),
        taskPageLimit,
      );
      return value.filter((task) => task.instanceId === instanceId);
    },

    async backups(instanceId) {
      const read = (body: Json) => ({
        items: neededObjects(body, 'backups').map(readBackup),
        total: totalOf(body),
      });
      const query = { instance_id: instanceId, limit: pageLimit };
      return collectPages((offset) => get('/backups', { ...query, offset }, read), pageLimit);
    },

    async restoreRanges(instanceId) {
      const read = (body: Json) =>
        neededObjects(body, 'restore_time').map((row) => ({
          from: need(numberOf(row, 'start_time'), 'start_time'),
          to: need(numberOf(row, 'end_time'), 'end_time'),
        }));
      try {
        const path = '/instances/{id}/restore-time';
        return (await call({ service: 'rds', method: 'GET', path, params: { id: instanceId }, read })).value;
      } catch (error) {
        if (error instanceof CloudError && unknownInstance.has(error.code)) return undefined;
        throw error;
      }
    },

    async freeInstances() {
      const read = (body: Json) => neededObjects(objectOf(body, 'quotas'), 'resources');
      const { value } = await get('/quotas', {}, read);
      const row = value.find((one) => textOf(one, 'type') === 'instance');
      const [quota, used] = [row && numberOf(row, 'quota'), row && numberOf(row, 'used')];
      return quota === undefined || used === undefined ? undefined : quota - used;
    },
  };
}

export function fetchInstancePage(
  call: Call,
  query: Record<string, string | number>,
): Promise<Fresh<Page<InstanceRow>>> {
  return call({
    service: 'rds',
    method: 'GET',
    path: '/instances',
    query: { ...query, limit: pageLimit },
    read: (body) => ({ items: neededObjects(body, 'instances').map(readInstanceRow), total: totalOf(body) }),
  });
}

export async function fetchFlavors(call: Call, engine: Engine, version: string): Promise<readonly Flavor[]> {
  const { value } = await call({
    service: 'rds',
    method: 'GET',
    path: '/flavors/{db}',
    params: { db: engine },
    query: { version_name: version },
    read: (body) => neededObjects(body, 'flavors').map(readFlavor),
  });
  return value;
}

export async function fetchParameters(call: Call, instanceId: string): Promise<readonly Parameter[]> {
  const { value } = await call({
    service: 'rds',
    method: 'GET',
    path: '/instances/{id}/configurations',
    params: { id: instanceId },
    read: (body) => neededObjects(body, 'configuration_parameters').map(readParameter),
  });
  return value;
}
