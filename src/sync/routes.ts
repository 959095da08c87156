// The hooks as HTTP: the envelope is validated here, the rest is the loop's.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Metrics } from '../metrics.ts';
import { relatedResources } from './customize.ts';
import type { HookName, Outcome, RunHook } from './loop.ts';
import {
  CustomizeRequestSchema,
  HookRequestSchema,
  readParent,
  readView,
  unreadableStatus,
} from './request.ts';

type Options = { run: RunHook; clock: Clock; metrics: Metrics };

export const hookRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { run, clock, metrics }) => {
  for (const hook of ['sync', 'finalize'] as const satisfies HookName[]) {
    app.post(
      `/${hook}`,
      { schema: { summary: `Metacontroller ${hook} hook (v2)`, body: HookRequestSchema } },
      async (request, reply) => {
        const startedAt = clock.elapsed();
        const tell = (result: string) =>
          metrics.hookAnswered(hook, result, (clock.elapsed() - startedAt) / 1000);
        const view = readView(request.body, clock.now());
        const problem = unreadableStatus(view.rds.status);
        if (problem) {
          const message = `body.parent.${problem.field}: ${problem.message}`;
          return reply.code(400).send({ error: 'BadRequest', message });
        }
        const outcome = await run(hook, view).catch((error: unknown) => {
          tell('bug');
          throw error;
        });
        tell(outcome.kind);
        // Metacontroller hangs up after its time-out: what only this answer could hand on is taken back.
        if (outcome.kind === 'answer' && request.raw.socket?.destroyed) await outcome.unheard?.();
        return sendOutcome(reply, outcome);
      },
    );
  }

  app.post(
    '/customize',
    { schema: { summary: 'Metacontroller customize hook (v2)', body: CustomizeRequestSchema } },
    async (request) => ({ relatedResources: relatedResources(readParent(request.body.parent, clock.now())) }),
  );
};

type AnyOutcome = Exclude<Outcome, { kind: 'answer' }> | { kind: 'answer'; answer: object };

export function sendOutcome(reply: FastifyReply, outcome: AnyOutcome): FastifyReply {
  switch (outcome.kind) {
    case 'answer':
      return reply.send(outcome.answer);
    case 'retry':
      // Without Retry-After Metacontroller would call again at once, thousands of times.
      return reply
        .code(429)
        .header('retry-after', `${outcome.afterSeconds}`)
        .send({ error: 'StaleView', message: outcome.because });
    case 'unavailable':
      return reply.code(503).send({ error: 'JournalUnavailable', message: outcome.because });
  }
}
