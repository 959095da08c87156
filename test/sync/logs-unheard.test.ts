import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import t from 'tap';
import { request } from 'undici';
import { systemClock } from '../../src/clock.ts';
import { createMetrics } from '../../src/metrics.ts';
import { hookRoutes } from '../../src/sync/routes.ts';
import { createStandingAnswers } from '../../src/sync/standing-answers.ts';

const payload = JSON.stringify({
  parent: { metadata: { name: 'shop', namespace: 'team-a', uid: '0123456789abcdef' }, spec: {} },
  children: {},
  finalizing: false,
});

for (const hangsUp of [true, false]) {
  const outcome = hangsUp ? 'is taken back when the caller hung up' : 'stays when the caller waits';
  t.test(`what only this answer could hand on ${outcome}`, async (t) => {
    const isOver = Promise.withResolvers<void>();
    const wasAsked = Promise.withResolvers<void>();
    let undone = 0;
    const app = Fastify();
    t.teardown(() => app.close());
    await app.register(hookRoutes, {
      clock: systemClock,
      metrics: createMetrics({ process: false }),
      standing: createStandingAnswers(systemClock),
      syncedAgain: undefined,
      run: async () => {
        wasAsked.resolve();
        await isOver.promise;
        const answer = { status: {}, children: [], resyncAfterSeconds: 1 };
        const unheard = async () => {
          undone += 1;
        };
        return { kind: 'answer', answer, unheard };
      },
    });
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const caller = new AbortController();
    const call = request(`${url}/sync`, {
      method: 'POST',
      body: payload,
      headers: { 'content-type': 'application/json' },
      signal: caller.signal,
    });
    await wasAsked.promise;
    if (hangsUp) {
      caller.abort();
      await t.rejects(call);
      // Until the server has noticed.
      await sleep(200);
    }
    isOver.resolve();
    if (!hangsUp) t.equal((await call).statusCode, 200);
    await sleep(50);
    t.equal(undone, hangsUp ? 1 : 0);
  });
}
