// What happened to each Rds, newest last, in the order in which it became known. A call that repeats the one
// before it is counted instead of told again: a settled database is asked about every second here.

export type EntryKind = 'user' | 'hook' | 'decision' | 'condition' | 'alarm' | 'fault';
export type Tone = 'plain' | 'good' | 'warn' | 'bad';

/** One call to the cloud, made while a hook was answered. */
export type CloudCall = { method: string; route: string; result: string; ms: number };

export type Entry = {
  id: number;
  /** Milliseconds since the epoch. */
  at: number;
  kind: EntryKind;
  tone: Tone;
  title: string;
  text: string;
  count: number;
  calls: CloudCall[];
};

export type NewEntry = Pick<Entry, 'kind' | 'tone' | 'title' | 'text'> & { calls?: CloudCall[] };

export type Timeline = {
  add(key: string, entry: NewEntry): void;
  addToAll(entry: NewEntry): void;
  /** Entries that are new or were counted up since that revision. */
  since(key: string, revision: number): { revision: number; entries: Entry[] };
};

type Kept = { entries: (Entry & { revision: number })[] };

const KEPT_ENTRIES = 250;
const KEPT_CALLS = 12;

export function createTimeline(now: () => number): Timeline {
  const all = new Map<string, Kept>();
  let nextId = 1;
  let revision = 0;

  function add(key: string, entry: NewEntry): void {
    const kept = all.get(key) ?? { entries: [] };
    all.set(key, kept);
    revision += 1;
    const calls = (entry.calls ?? []).slice(-KEPT_CALLS);
    const told = earlierOf(kept.entries, { ...entry, calls });
    if (told) {
      Object.assign(told, { count: told.count + 1, calls, revision });
      return;
    }
    kept.entries.push({ ...entry, calls, id: nextId, at: now(), count: 1, revision });
    nextId += 1;
    if (kept.entries.length > KEPT_ENTRIES) kept.entries.shift();
  }

  return {
    add,
    addToAll(entry) {
      for (const key of all.keys()) add(key, entry);
    },
    since(key, seen) {
      const entries = (all.get(key)?.entries ?? []).filter((entry) => entry.revision > seen);
      return { revision, entries: entries.map(({ revision: _revision, ...entry }) => entry) };
    },
  };
}

/** Reads that succeed come and go with the caches; they make no difference worth a line. */
const telling = (calls: readonly CloudCall[]): string =>
  calls
    .filter(({ method, result }) => method !== 'GET' || !result.startsWith('2'))
    .map(({ method, route, result }) => `${method} ${route} ${result}`)
    .join('\n');

/** Calls for a database and for its backups take turns; nothing but calls may lie between. */
function earlierOf<T extends Entry>(
  entries: readonly T[],
  next: NewEntry & { calls: CloudCall[] },
): T | undefined {
  const since = entries.findLastIndex(({ kind }) => kind !== 'hook') + 1;
  return entries.slice(since).findLast((entry) => repeats(entry, next));
}

function repeats(last: Entry, next: NewEntry & { calls: CloudCall[] }): boolean {
  return (
    next.kind === 'hook' &&
    last.kind === 'hook' &&
    last.title === next.title &&
    last.text === next.text &&
    telling(last.calls) === telling(next.calls)
  );
}
