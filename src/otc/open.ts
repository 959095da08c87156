// The door of this folder: a cloud for some credentials and some time, on any way of sending.

import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { type Account, createAccount } from './account.ts';
import type { Call } from './call.ts';
import { createMonitoring } from './ces.ts';
import type { Budget, Cloud, Credentials, OpenCloud, Still } from './cloud.ts';
import type { defaultLimits } from './limiter.ts';
import { createLru } from './lru.ts';
import { NEVER, notedReads } from './noted-reads.ts';
import { type Observe, type Usage, withObserve } from './observe.ts';
import { createRdsChanges } from './rds-changes.ts';
import { createRdsReads, type RdsReads } from './rds-reads.ts';
import { createRdsWrites } from './rds-writes.ts';
import type { Send } from './send.ts';
import { type SharedReads, sharedReads } from './shared-reads.ts';
import { createNotifications } from './smn.ts';

const maxAccounts = 200;

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
  return (credentials, budget, noted) => {
    const account = accounts.get(knownKeyOf(credentials), () =>
      createAccount(credentials, { send: observed, clock, random, limits, usage }),
    );
    return cloudOf(account, budget, credentials.region, noted);
  };
}

/** A database at rest asks only for what all share; whatever needs a call of its own is put together for the first. */
function cloudOf(account: Account, budget: Budget, region: string, noted: Still[] | undefined): Cloud {
  const plain = sharedReads(account, budget, region);
  const shared = noted ? notedReads(plain, account, noted) : plain;
  let call: Call | undefined;
  let reads: RdsReads | undefined;
  let rest: OtherCalls | undefined;
  return new Proxy(shared as Cloud, {
    get(_target, name) {
      if (name in shared) return shared[name as keyof typeof shared];
      noted?.push(NEVER);
      call ??= account.callWithin(budget);
      reads ??= createRdsReads(call);
      if (name in reads) return reads[name as keyof RdsReads];
      rest ??= otherCalls(account, budget, call);
      return rest[name as keyof OtherCalls];
    },
  });
}

type OtherCalls = Omit<Cloud, keyof SharedReads | keyof RdsReads>;

function otherCalls(account: Account, budget: Budget, call: Call): OtherCalls {
  const writes = createRdsWrites(call);
  const monitoring = createMonitoring(call);
  /** Whoever looks next must not see what was just put right. A create may be missing from a list anyway. */
  const expiring =
    <Args extends unknown[]>(write: (...args: Args) => Promise<void>) =>
    (...args: Args) =>
      write(...args).finally(() => account.alarms.expire());
  return {
    ...writes,
    ...createRdsChanges(call, writes),
    ...account.issuesWithin(budget),
    ...monitoring,
    updateAlarm: expiring(monitoring.updateAlarm),
    enableAlarm: expiring(monitoring.enableAlarm),
    deleteAlarm: expiring(monitoring.deleteAlarm),
    ...createNotifications(call),
    messageService: () => account.messageService(budget.remainingMs()),
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
  const known = keys.get(credentials);
  if (known !== undefined) return known;
  const key = keyOf(credentials);
  keys.set(credentials, key);
  return key;
}
