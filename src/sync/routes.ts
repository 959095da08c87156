// The hooks as HTTP: the envelope is validated here, the rest is the loop's.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, preValidationHookHandler } from 'fastify';
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
import type { StandingAnswers, StandingCall } from './standing-answers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of a call whose answer may have been given before. */
    standing: StandingCall | undefined;
  }
  interface FastifyContextConfig {
    mayStand?: boolean;
  }
}

type Options = {
  run: RunHook;
  clock: Clock;
  metrics: Metrics;
  standing: StandingAnswers;
  syncedAgain: ((uid: string) => void) | undefined;
};

export const hookRoutes: FastifyPluginAsyncTypebox<Options> = async (
  app,
  { run, clock, metrics, standing, syncedAgain },
) => {
  /** Before the body is validated: there is none. */
  const answerAgain: preValidationHookHandler = ({ standing: call }, reply, done) => {
    metrics.cacheUsed('answers', 'read');
    if (!call?.answer) {
      metrics.cacheUsed('answers', 'load');
      return done();
    }
    syncedAgain?.(call.answer.uid);
    metrics.hookAnswered('sync', 'answer', reply.elapsedTime / 1_000);
    void reply.type(JSON_TYPE).send(call.answer.text);
  };

  for (const hook of ['sync', 'finalize'] as const satisfies HookName[]) {
    const mayStand = hook === 'sync';
    app.post(
      `/${hook}`,
      {
        schema: { summary: `Metacontroller ${hook} hook (v2)`, body: HookRequestSchema },
        config: { mayStand },
        ...(mayStand ? { preValidation: answerAgain } : {}),
      },
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
        standing.forget(view.rds.metadata.uid);
        const outcome = await run(hook, view).catch((error: unknown) => {
          tell('bug');
          throw error;
        });
        tell(outcome.kind);
        // Metacontroller hangs up after its time-out: what only this answer could hand on is taken back.
        if (outcome.kind === 'answer' && request.raw.socket?.destroyed) await outcome.unheard?.();
        const stands = outcome.kind === 'answer' && mayStand ? outcome.stands?.() : undefined;
        if (outcome.kind !== 'answer' || !stands) return sendOutcome(reply, outcome);
        const text = JSON.stringify(outcome.answer);
        request.standing?.keep(outcome.answer, text, stands);
        return reply.type(JSON_TYPE).send(text);
      },
    );
  }

  app.post(
    '/customize',
    { schema: { summary: 'Metacontroller customize hook (v2)', body: CustomizeRequestSchema } },
    async (request) => ({ relatedResources: relatedResources(readParent(request.body.parent, clock.now())) }),
  );
};

const JSON_TYPE = 'application/json; charset=utf-8';

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
