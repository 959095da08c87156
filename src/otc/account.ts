// What all callers with the same credentials share: login, rate, snapshot, lists.

import type { Clock } from '../clock.ts';
import { budgetOf, withBudget } from './budget.ts';
import { type Cached, createCached } from './cache.ts';
import { type Call, createCall } from './call.ts';
import type { Budget, Credentials, Engine, Flavor, Snapshot } from './cloud.ts';
import { logIn } from './iam.ts';
import { createLimiter, type defaultLimits, withLimiter } from './limiter.ts';
import { createLru } from './lru.ts';
import { fetchFlavors } from './rds-reads.ts';
import { withReadRetry } from './retry.ts';
import type { Send } from './send.ts';
import { createSessions } from './session.ts';
import { createSnapshots } from './snapshot.ts';
import { createNetworks, type Networks } from './vpc.ts';

export type Account = {
  callWithin(budget: Budget): Call;
  snapshots: Cached<Snapshot>;
  flavors(engine: Engine, version: string): Cached<readonly Flavor[]>;
  networks: Networks;
};

export type AccountDeps = {
  send: Send;
  clock: Clock;
  random: () => number;
  limits?: typeof defaultLimits | undefined;
};

/** Shared work has its own time: whoever starts it may have little left. */
const sharedWorkMs = 20_000;

export function createAccount(
  credentials: Credentials,
  { send, clock, random, limits }: AccountDeps,
): Account {
  const limiter = createLimiter(clock, limits);
  // From the inside out: one attempt with a deadline, held to the rate, repeated if it is a read.
  const transport = (budget: Budget): Send =>
    withReadRetry(withLimiter(withBudget(send, budget), limiter, budget, clock), { clock, random, budget });

  const sessions = createSessions(clock, () =>
    logIn(credentials, { send: transport(budgetOf(clock, sharedWorkMs)), clock }),
  );
  const callWithin = (budget: Budget) => createCall({ send: transport(budget), clock, sessions, budget });
  const callAlone = () => callWithin(budgetOf(clock, sharedWorkMs));
  const flavorLists = createLru<Cached<readonly Flavor[]>>(100);

  return {
    callWithin,
    snapshots: createSnapshots(clock, callAlone),
    networks: createNetworks(clock, callAlone),
    flavors: (engine, version) =>
      flavorLists.get(`${engine}/${version}`, () =>
        createCached(clock, 'the list of flavors', () => fetchFlavors(callAlone(), engine, version)),
      ),
  };
}
