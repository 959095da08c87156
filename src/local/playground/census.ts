// Counts what must never happen, from what really happened in the simulated cloud: two instances at the same
// time for one Rds, or an instance that went although its Rds wanted to keep the data.

import type { KubeObject } from '../../kube/api.ts';
import { ANNOTATIONS, finalBackupPrefix, uidDigits, uidDigitsIn } from '../../rds/names.ts';
import type { RdsSpec } from '../../rds/spec.ts';
import type { Backup } from '../../simulator/rds/types.ts';
import type { WorldEvent } from '../../simulator/world.ts';
import type { WatchEvent } from '../watch.ts';

export type Verdict = { doubled: string[]; lost: string[] };

export type Census = {
  onChange(event: WatchEvent): void;
  count(events: readonly WorldEvent[], backups: readonly Backup[]): Verdict;
};

type Found = { name: string; from: number; until: number | undefined };

export function createCensus(): Census {
  /** The last that was known of each Rds, also when it is gone. */
  const rdss = new Map<string, KubeObject>();
  const instances = new Map<string, Found>();
  const lost = new Map<string, string>();
  const judged = new Set<string>();

  function note({ at, kind, instanceId, name }: WorldEvent): void {
    // A backup has a name of its own and happens to an instance that is known already.
    const found = instances.get(instanceId);
    if (!found && uidDigitsIn(name) !== undefined && kind !== 'backup')
      instances.set(instanceId, { name, from: at, until: undefined });
    else if (found && kind === 'deleted') found.until = at;
  }

  /** Once, at the first look after it went: later its backups may rightly be gone too. */
  function judge(id: string, { name, until }: Found, backups: readonly Backup[]): void {
    if (until === undefined || judged.has(id)) return;
    judged.add(id);
    const rds = rdss.get(uidDigitsIn(name) ?? '');
    if (rds && !mayGo(rds, backups)) lost.set(id, name);
  }

  return {
    onChange({ object }) {
      if (object.kind === 'Rds') rdss.set(uidDigits(object.metadata.uid ?? ''), object);
    },
    count(events, backups) {
      for (const event of events) note(event);
      for (const [id, found] of instances) judge(id, found, backups);
      return { doubled: doubled([...instances.values()]), lost: [...lost.values()] };
    },
  };
}

function mayGo({ metadata, spec }: KubeObject, backups: readonly Backup[]): boolean {
  if (!metadata.deletionTimestamp) return false;
  const { deletionPolicy = 'Snapshot' } = (spec ?? {}) as RdsSpec;
  if (deletionPolicy !== 'Snapshot') return deletionPolicy === 'Delete';
  if (metadata.annotations?.[ANNOTATIONS.forceDelete] === 'true') return true;
  const prefix = finalBackupPrefix(metadata.uid ?? '', metadata.deletionTimestamp);
  return backups.some(({ name, status }) => name.startsWith(prefix) && status === 'COMPLETED');
}

/** Names under which two instances lived at the same time. */
function doubled(instances: readonly Found[]): string[] {
  const byName = Map.groupBy(instances, ({ name }) => name);
  const livedTogether = (one: Found, other: Found) =>
    one !== other && one.from <= other.from && (one.until ?? Number.POSITIVE_INFINITY) > other.from;
  return [...byName]
    .filter(([, all]) => all.some((one) => all.some((other) => livedTogether(one, other))))
    .map(([name]) => name);
}
