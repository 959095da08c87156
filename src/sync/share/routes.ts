// The hooks of the DecoratorController for namespaces as HTTP.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Clock } from '../../clock.ts';
import type { Metrics } from '../../metrics.ts';
import { sendOutcome } from '../routes.ts';
import { type RunShare, SHARE_RELATED } from './loop.ts';
import { readShareRequest, ShareCustomizeSchema, ShareRequestSchema } from './request.ts';

type Options = { run: RunShare; clock: Clock; metrics: Metrics };

export const shareRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { run, clock, metrics }) => {
  app.post(
    '/share/sync',
    { schema: { summary: 'Metacontroller sync hook of namespaces (v2)', body: ShareRequestSchema } },
    async (request, reply) => {
      const startedAt = clock.elapsed();
      const tell = (result: string) =>
        metrics.hookAnswered('share/sync', result, (clock.elapsed() - startedAt) / 1000);
      const outcome = await run(readShareRequest(request.body)).catch((error: unknown) => {
        tell('bug');
        throw error;
      });
      tell(outcome.kind);
      return sendOutcome(reply, outcome);
    },
  );

  app.post(
    '/share/customize',
    { schema: { summary: 'Metacontroller customize hook of namespaces (v2)', body: ShareCustomizeSchema } },
    async () => SHARE_RELATED,
  );
};
