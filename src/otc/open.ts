// The door of this folder: a cloud for some credentials and some time, on any way of sending.

import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { type Account, createAccount } from './account.ts';
import type { Call } from './call.ts';
import { createMonitoring } from './ces.ts';
import type { Budget, Cloud, Credentials, OpenCloud } from './cloud.ts';
import type { defaultLimits } from './limiter.ts';
import { createLru } from './lru.ts';
import { type Observe, type Usage, withObserve } from './observe.ts';
import { createRdsChanges } from './rds-changes.ts';
import { createRdsReads } from './rds-reads.ts';
import { createRdsWrites } from './rds-writes.ts';
import type { Send } from './send.ts';
import { createNotifications } from './smn.ts';

const maxAccounts = 200;
const flavorsKeepMs = 10 * 60_000;
/** An empty list is more likely a stumble of the cloud than the truth: nobody may wait long for the next one. */
const emptyKeepMs = 30_000;

export type OpenCloudDeps = {
  send: Send;
  clock: Clock;
  /** 0 <= n < 1, for the jitter. */
  random: () => number;
  observe?: Observe | undefined;
  usage?: Usage | undefined;
  limits?: typeof defaultLimits | undefined;
};

export function createOpenCloud({ send, clock, random, observe, usage, limits }: OpenCloudDeps): OpenCloud {
  const observed = observe ? withObserve(send, clock, observe) : send;
  const accounts = createLru<Account>(maxAccounts);
  const opened = new WeakMap<Budget, { key: string; cloud: Cloud }>();
  return (credentials, budget) => {
    const key = knownKeyOf(credentials);
    // A hook call looks twice with one budget.
    const known = opened.get(budget);
    if (known?.key === key) return known.cloud;
    const account = accounts.get(key, () =>
      createAccount(credentials, { send: observed, clock, random, limits, usage }),
    );
    const cloud = cloudOf(account, budget, credentials.region);
    opened.set(budget, { key, cloud });
    return cloud;
  };
}

function cloudOf(account: Account, budget: Budget, region: string): Cloud {
  const call = account.callWithin(budget);
  const writes = createRdsWrites(call);
  const monitoring = createMonitoring(call);
  /** Whoever looks next must not see what was just put right. A create may be missing from a list anyway. */
  const expiring =
    <Args extends unknown[]>(write: (...args: Args) => Promise<void>) =>
    (...args: Args) =>
      write(...args).finally(() => account.alarms.expire());
  return {
    region,
    ...createRdsReads(call),
    ...writes,
    ...createRdsChanges(call, writes),
    ...account.issuesWithin(budget),
    ...monitoring,
    updateAlarm: expiring(monitoring.updateAlarm),
    enableAlarm: expiring(monitoring.enableAlarm),
    deleteAlarm: expiring(monitoring.deleteAlarm),
    ...createNotifications(call),
    messageService: () => account.messageService(budget.remainingMs()),
    alarms: (maxAgeSeconds) => account.alarms.get(maxAgeSeconds * 1_000, budget.remainingMs()),
    metricsLately: (query, maxAgeSeconds) =>
      account.metrics(query).get(maxAgeSeconds * 1_000, budget.remainingMs()),
    subscriptionsLately: (topicUrn, maxAgeSeconds) =>
      account.subscriptions(topicUrn).get(maxAgeSeconds * 1_000, budget.remainingMs()),
    snapshot: (maxAgeSeconds) => account.snapshots.get(maxAgeSeconds * 1_000, budget.remainingMs()),
    async flavors(engine, version) {
      const shared = account.flavors(engine, version);
      const flavors = await shared.get(flavorsKeepMs, budget.remainingMs());
      return flavors.length > 0 ? flavors : shared.get(emptyKeepMs, budget.remainingMs());
    },
    backupsLately: (id, maxAgeSeconds) =>
      account.backups(id).get(maxAgeSeconds * 1_000, budget.remainingMs()),
    parameters: (id, maxAgeSeconds) =>
      account.parameters(id).get(maxAgeSeconds * 1_000, budget.remainingMs()),
    securityGroup: (wanted) => account.networks.securityGroup(wanted, () => budget.remainingMs()),
    network: (wanted) => account.networks.find(wanted, () => budget.remainingMs()),
    revokeToken: (token) => revokeToken(call, token),
  };
}

/** A token that is unknown (404) is as good as revoked. */
async function revokeToken(call: Call, token: string): Promise<void> {
  await call({
    service: 'iam',
    method: 'DELETE',
    path: '/auth/tokens',
    headers: { 'x-subject-token': token },
    secrets: [token],
    accepted: [404],
    read: () => undefined,
  });
}

/** New values make a new account; a hash, so that no secret is kept as a key. */
export function keyOf(credentials: Credentials): string {
  const sorted = Object.entries(credentials).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}

const keys = new WeakMap<Credentials, string>();

/** The operator's own credentials are the same object in every call. */
function knownKeyOf(credentials: Credentials): string {
  const key = keys.get(credentials) ?? keyOf(credentials);
  keys.set(credentials, key);
  return key;
}
