// All instances of a project in one shared list, so that a thousand settled objects cost a few calls a minute.

import type { Clock } from '../clock.ts';
import { type Cached, createCached } from './cache.ts';
import type { Call } from './call.ts';
import type { Instance, Snapshot } from './cloud.ts';
import { collectPages } from './pages.ts';
import { fetchInstancePage, pageLimit } from './rds-reads.ts';

export function createSnapshots(
  clock: Clock,
  callAlone: () => Call,
  beforeWaiting?: () => void,
): Cached<Snapshot> {
  const load = async (): Promise<Snapshot> => {
    const call = callAlone();
    const { value: rows, at } = await collectPages(
      (offset) => fetchInstancePage(call, { offset }),
      pageLimit,
    );
    const instances = rows.flatMap(({ instance }) => instance ?? []);
    return {
      at,
      byId: new Map(instances.map((instance) => [instance.id, instance])),
      byName: groupByName(instances),
    };
  };
  return createCached(clock, 'the list of instances', load, beforeWaiting);
}

function groupByName(instances: readonly Instance[]): Map<string, Instance[]> {
  return Map.groupBy(instances, ({ name }) => name);
}
