// The same reads, and for each a note that tells later, without asking anybody, whether it would give the same again.

import { isDeepStrictEqual } from 'node:util';
import type { Account } from './account.ts';
import type { Cached } from './cache.ts';
import type { Instance, Snapshot, Still } from './cloud.ts';
import type { Alarm, AlarmSnapshot } from './monitoring.ts';
import { FLAVORS_KEEP_MS, type SharedReads } from './shared-reads.ts';

export const NEVER: Still = () => false;

export function notedReads(reads: SharedReads, account: Account, noted: Still[]): SharedReads {
  /** What failed, or is not there yet, is not the same again. */
  async function noting<T>(read: Promise<T>, stillOf: (value: T) => Still): Promise<T> {
    const place = noted.push(NEVER) - 1;
    const value = await read;
    noted[place] = stillOf(value);
    return value;
  }

  const notingList = <T>(list: Cached<T>, maxAgeSeconds: number, read: Promise<T>): Promise<T> =>
    noting(read, (value) => (value === undefined ? NEVER : () => list.peek(maxAgeSeconds * 1_000) === value));

  /** Of a list of all, only what was looked for counts: the others change all the time. */
  async function notingLookups<V, All extends Listed<V>>(
    list: Cached<All>,
    maxAgeSeconds: number,
    read: Promise<All>,
  ): Promise<Listed<V>> {
    const newest = newestOf(list, maxAgeSeconds);
    const { at, byId, byName } = await noting(read, () => () => newest() !== undefined);
    return {
      at,
      byId: watched(byId, noted, () => newest()?.byId),
      byName: watched(byName, noted, () => newest()?.byName),
    };
  }

  return {
    ...reads,
    snapshot: (maxAgeSeconds) =>
      notingLookups<Instance, Snapshot>(account.snapshots, maxAgeSeconds, reads.snapshot(maxAgeSeconds)),
    alarms: (maxAgeSeconds) =>
      notingLookups<Alarm, AlarmSnapshot>(account.alarms, maxAgeSeconds, reads.alarms(maxAgeSeconds)),
    backupsLately: (id, maxAgeSeconds) =>
      notingList(account.backups(id), maxAgeSeconds, reads.backupsLately(id, maxAgeSeconds)),
    parameters: (id, maxAgeSeconds) =>
      notingList(account.parameters(id), maxAgeSeconds, reads.parameters(id, maxAgeSeconds)),
    metricsLately: (query, maxAgeSeconds) =>
      notingList(account.metrics(query), maxAgeSeconds, reads.metricsLately(query, maxAgeSeconds)),
    subscriptionsLately: (topicUrn, maxAgeSeconds) =>
      notingList(
        account.subscriptions(topicUrn),
        maxAgeSeconds,
        reads.subscriptionsLately(topicUrn, maxAgeSeconds),
      ),
    flavors(engine, version) {
      const list = account.flavors(engine, version);
      return noting(reads.flavors(engine, version), (flavors) =>
        flavors.length === 0 ? NEVER : () => list.peek(FLAVORS_KEEP_MS) === flavors,
      );
    },
    securityGroup: (wanted) =>
      noting(reads.securityGroup(wanted), (id) => () => account.networks.knownSecurityGroup(wanted) === id),
    network: (wanted) => noting(reads.network(wanted), () => NEVER),
  };
}

type Listed<V> = {
  at: number;
  byId: ReadonlyMap<string, V>;
  byName: ReadonlyMap<string, readonly V[]>;
};

// Notes outlive the call by minutes. They are made out here so that they keep nothing alive but what they name: not the
// list of that moment, which is long.

const newestOf =
  <T>(list: Cached<T>, maxAgeSeconds: number) =>
  (): T | undefined =>
    list.peek(maxAgeSeconds * 1_000);

function sameAgain<V>(
  newest: () => ReadonlyMap<string, V> | undefined,
  key: string,
  first: V | undefined,
): Still {
  let seen = first;
  return () => {
    const now = newest()?.get(key);
    // A list that was read again holds other objects that say the same.
    const isSame = now === seen || isDeepStrictEqual(now, seen);
    if (isSame) seen = now;
    return isSame;
  };
}

function watched<V>(
  list: ReadonlyMap<string, V>,
  noted: Still[],
  newest: () => ReadonlyMap<string, V> | undefined,
): ReadonlyMap<string, V> {
  const get = (key: string): V | undefined => {
    const seen = list.get(key);
    noted.push(sameAgain(newest, key, seen));
    return seen;
  };
  return new Proxy(list, {
    get(map, name) {
      if (name === 'get') return get;
      noted.push(NEVER);
      const member: unknown = Reflect.get(map, name, map);
      return typeof member === 'function' ? member.bind(map) : member;
    },
  });
}
