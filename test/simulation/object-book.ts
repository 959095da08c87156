// Every state that the objects of one kind ever had, for oracles: a call may have read any state of a moment ago.

import type { KubeObject } from '../../src/kube/api.ts';
import type { WatchEvent } from '../../src/local/watch.ts';

/** One stored state of an object and since when. */
export type Version = { since: number; object: KubeObject };

export const digitsOf = (uid: string): string => uid.replaceAll('-', '').slice(0, 12);

export function createObjectBook(now: () => number) {
  const versions = new Map<string, Version[]>();
  const uidByDigits = new Map<string, string>();
  const goneSince = new Map<string, number>();

  return {
    note({ type, object }: WatchEvent): void {
      const uid = object.metadata.uid ?? '';
      uidByDigits.set(digitsOf(uid), uid);
      const list = versions.get(uid) ?? [];
      list.push({ since: now(), object });
      versions.set(uid, list);
      if (type === 'DELETED') goneSince.set(uid, now());
    },
    /** As it is stored; undefined: gone. */
    living: (uid: string): KubeObject | undefined =>
      goneSince.has(uid) ? undefined : versions.get(uid)?.at(-1)?.object,
    /** As it is stored, or was at last. */
    lastOf: (uid: string): KubeObject | undefined => versions.get(uid)?.at(-1)?.object,
    versionsOf: (uid: string): readonly Version[] => versions.get(uid) ?? [],
    uids: (): string[] => [...versions.keys()],
    uidOfDigits: (digits: string): string | undefined => uidByDigits.get(digits),
    /** Everything it was at some time within the last `windowMs`: a call may have read any of it. */
    recent(uid: string, windowMs: number): KubeObject[] {
      const list = versions.get(uid) ?? [];
      const from = now() - windowMs;
      const gone = goneSince.get(uid);
      if (gone !== undefined && gone < from) return [];
      return list
        .filter((_one, index) => (list[index + 1]?.since ?? Number.POSITIVE_INFINITY) >= from)
        .map((one) => one.object);
    },
  };
}
