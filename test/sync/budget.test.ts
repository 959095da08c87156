// Metacontroller hangs up after 30 s, and every answer is to be out before 24 s, whatever it waits for.

import t from 'tap';
import { createBudget, LIMITS } from '../../src/sync/budget.ts';

/** As in service.ts. */
const KUBE_DEADLINE_MS = 2_500;

t.test('a call that starts at the last moment leaves time for its record, and more than none', async (t) => {
  for (let elapsedMs = 0; elapsedMs <= LIMITS.startCallsMs; elapsedMs += 500) {
    let now = 0;
    const budget = createBudget({ now: () => 0, elapsed: () => now, sleep: async () => {} });
    now = elapsedMs;
    const latest = elapsedMs + budget.remainingMs() + 2 * KUBE_DEADLINE_MS;
    t.ok(latest < LIMITS.answerMs, `${elapsedMs} ms: the record is through after ${latest} ms`);
  }
});

t.test('later than that no call starts', async (t) => {
  let now = 0;
  const budget = createBudget({ now: () => 0, elapsed: () => now, sleep: async () => {} });
  now = LIMITS.startCallsMs + 1;
  t.equal(budget.remainingMs(), 0);
});
