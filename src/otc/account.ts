// What all callers with the same credentials share: login, rate, snapshot, lists.

import type { Clock } from '../clock.ts';
import { createBreaker } from './breaker.ts';
import { budgetOf, withBudget } from './budget.ts';
import { type Cached, createCached } from './cache.ts';
import { type Call, createCall } from './call.ts';
import { createAlarmSnapshots, createMetricsLately } from './ces.ts';
import type { Backup, Budget, Credentials, Engine, Flavor, Parameter, Snapshot } from './cloud.ts';
import { logIn } from './iam.ts';
import { createLimiter, type defaultLimits, watchLimiter, withLimiter } from './limiter.ts';
import { createLru } from './lru.ts';
import type { AlarmSnapshot, LatelyQuery, MessageService, MetricSeries, Subscription } from './monitoring.ts';
import type { Usage } from './observe.ts';
import { createRdsReads, fetchFlavors, fetchParameters } from './rds-reads.ts';
import { withReadRetry } from './retry.ts';
import type { Send } from './send.ts';
import { createSessions } from './session.ts';
import { createSubscriptionsLately, messageServiceOf } from './smn.ts';
import { createSnapshots } from './snapshot.ts';
import { createIssues, type Issues } from './temporary-keys.ts';
import { createNetworks, type Networks } from './vpc.ts';

export type Account = {
  callWithin(budget: Budget): Call;
  issuesWithin(budget: Budget): Issues;
  snapshots: Cached<Snapshot>;
  flavors(engine: Engine, version: string): Cached<readonly Flavor[]>;
  parameters(instanceId: string): Cached<readonly Parameter[]>;
  backups(instanceId: string): Cached<readonly Backup[]>;
  networks: Networks;
  alarms: Cached<AlarmSnapshot>;
  messageService(waitMs: number): Promise<MessageService>;
  metrics(query: LatelyQuery): Cached<readonly MetricSeries[]>;
  subscriptions(topicUrn: string): Cached<readonly Subscription[] | undefined>;
};

export type AccountDeps = {
  send: Send;
  clock: Clock;
  random: () => number;
  limits?: typeof defaultLimits | undefined;
  usage?: Usage | undefined;
};

/** Shared work has its own time: whoever starts it may have little left. */
const sharedWorkMs = 20_000;

/** A list is some 50 kB in a real cloud. */
const maxParameterLists = 500;
const maxBackupLists = 10_000;

export function createAccount(
  credentials: Credentials,
  { send, clock, random, limits, usage }: AccountDeps,
): Account {
  const ownLimiter = createLimiter(clock, limits);
  const limiter = usage ? watchLimiter(ownLimiter, clock, usage) : ownLimiter;
  const breaker = createBreaker(clock);
  // From the inside out: one attempt with a deadline, held to the rate, not while nothing answers, repeated if it is a read.
  const once = (budget: Budget): Send =>
    breaker.guard(withLimiter(withBudget(send, budget), limiter, budget, clock));
  const transport = (budget: Budget): Send => withReadRetry(once(budget), { clock, random, budget });

  const sessions = createSessions(clock, () =>
    logIn(credentials, { send: transport(budgetOf(clock, sharedWorkMs)), clock }),
  );
  const callWithin = (budget: Budget) => createCall({ send: transport(budget), clock, sessions, budget });
  const callAlone = () => callWithin(budgetOf(clock, sharedWorkMs));
  const counted = <T>(name: string, make: (ask: () => Call) => Cached<T>): Cached<T> => {
    if (!usage) return make(callAlone);
    const cached = make(() => {
      usage.cache(name, 'load');
      return callAlone();
    });
    return {
      expire: cached.expire,
      peek(maxAgeMs) {
        const value = cached.peek(maxAgeMs);
        if (value !== undefined) usage.cache(name, 'read');
        return value;
      },
      get(maxAgeMs, waitMs) {
        usage.cache(name, 'read');
        return cached.get(maxAgeMs, waitMs);
      },
    };
  };
  const flavorLists = createLru<Cached<readonly Flavor[]>>(100);
  const backupLists = createLru<Cached<readonly Backup[]>>(maxBackupLists);
  const parameterLists = createLru<Cached<readonly Parameter[]>>(maxParameterLists);

  return {
    callWithin,
    issuesWithin: (budget) =>
      createIssues({
        credentials,
        call: callWithin(budget),
        session: () => sessions.get(budget.remainingMs()),
        logInOnce: () => logIn(credentials, { send: once(budget), clock }),
      }),
    snapshots: counted('instances', (ask) => createSnapshots(clock, ask, () => breaker.refuse('rds'))),
    networks: createNetworks(clock, callAlone),
    metrics: createMetricsLately(clock, callAlone),
    subscriptions: createSubscriptionsLately(clock, callAlone),
    alarms: counted('alarms', (ask) => createAlarmSnapshots(clock, ask, () => breaker.refuse('ces'))),
    messageService: async (waitMs) => messageServiceOf(await sessions.get(waitMs)),
    flavors: (engine, version) =>
      flavorLists.get(`${engine}/${version}`, () =>
        counted('flavors', (ask) =>
          createCached(clock, 'the list of flavors', () => fetchFlavors(ask(), engine, version)),
        ),
      ),
    backups: (instanceId) =>
      backupLists.get(instanceId, () =>
        counted('backups', (ask) =>
          createCached(
            clock,
            'the list of backups',
            async () => (await createRdsReads(ask()).backups(instanceId)).value,
          ),
        ),
      ),
    parameters: (instanceId) =>
      parameterLists.get(instanceId, () =>
        counted('parameters', (ask) =>
          createCached(clock, 'the list of parameters', () => fetchParameters(ask(), instanceId)),
        ),
      ),
  };
}
