// What earlier calls wrote down. The journal is the truth; where it was not read, status has a copy that is good
// enough to report and to know when to look closer.

import type { Journal } from '../../rds/journal.ts';
import type { Scale, Target } from '../../rds/scale.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { Observed } from './observed.ts';

export function readJournal(o: Observed): Journal | undefined {
  return typeof o.journal === 'object' && !('unavailable' in o.journal) ? o.journal : undefined;
}

export type Remembered = {
  /** Parameters that wait for a restart. */
  pendingRestart: readonly string[];
  /** Tags that came from the spec. */
  tags: readonly string[];
  /** Read replicas that were made: name -> instance id. */
  replicas: Readonly<Record<string, string>>;
  handled: Readonly<Record<string, string>>;
  /** What the autopilot decided. */
  scale: Pick<Scale, 'volumeGb' | 'flavor'>;
};

export function remembered(o: Observed): Remembered {
  const journal = readJournal(o);
  if (journal) {
    const { pendingRestart = [], tags = [], replicas = {}, handled = {}, scale = {} } = journal;
    const ids = Object.entries(replicas).map(([name, { id }]) => [name, id] as const);
    return { pendingRestart, tags, replicas: Object.fromEntries(ids), handled, scale };
  }
  const { pendingRestart = [], managedTags = [], replicas = [], handled = {}, scaling } = o.rds.status ?? {};
  const ids = replicas.flatMap(({ name, id }) => (id === undefined ? [] : [[name, id] as const]));
  const scale = toldScale(scaling);
  return { pendingRestart, tags: managedTags, replicas: Object.fromEntries(ids), handled, scale };
}

function toldScale({ volumeGb, flavor, over }: NonNullable<RdsStatus['scaling']> = {}): Remembered['scale'] {
  return {
    ...targetOf('volumeGb', volumeGb, over?.volumeGb),
    ...targetOf('flavor', flavor, over?.flavor),
  };
}

function targetOf<Key extends string, T>(
  key: Key,
  to: T | undefined,
  over: T | undefined,
): Partial<Record<Key, Target<T>>> {
  if (to === undefined || over === undefined) return {};
  return { [key]: { to, over } } as Record<Key, Target<T>>;
}
