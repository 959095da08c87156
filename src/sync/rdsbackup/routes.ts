// The hooks of RdsBackup as HTTP, beside those of Rds and with the same envelope.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Clock } from '../../clock.ts';
import type { Metrics } from '../../metrics.ts';
import { backupStatusProblems } from '../../rds/backup-validate.ts';
import type { HookName } from '../loop.ts';
import { CustomizeRequestSchema, HookRequestSchema } from '../request.ts';
import { sendOutcome } from '../routes.ts';
import { backupRelatedResources } from './customize.ts';
import type { RunBackupHook } from './loop.ts';
import { readBackup, readBackupRequest } from './request.ts';

type Options = { run: RunBackupHook; clock: Clock; metrics: Metrics };

export const backupRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { run, clock, metrics }) => {
  for (const hook of ['sync', 'finalize'] as const satisfies HookName[]) {
    app.post(
      `/rdsbackup/${hook}`,
      { schema: { summary: `Metacontroller ${hook} hook of RdsBackup (v2)`, body: HookRequestSchema } },
      async (request, reply) => {
        const startedAt = clock.elapsed();
        const tell = (result: string) =>
          metrics.hookAnswered(`rdsbackup/${hook}`, result, (clock.elapsed() - startedAt) / 1000);
        const read = readBackupRequest(request.body, clock.now());
        const [problem] = backupStatusProblems(read.backup.status ?? {});
        if (problem) {
          const message = `body.parent.${problem.field}: ${problem.message}`;
          return reply.code(400).send({ error: 'BadRequest', message });
        }
        const outcome = await run(hook, read).catch((error: unknown) => {
          tell('bug');
          throw error;
        });
        tell(outcome.kind);
        return sendOutcome(reply, outcome);
      },
    );
  }

  app.post(
    '/rdsbackup/customize',
    { schema: { summary: 'Metacontroller customize hook of RdsBackup (v2)', body: CustomizeRequestSchema } },
    async (request) => ({
      relatedResources: backupRelatedResources(readBackup(request.body.parent, clock.now())),
    }),
  );
};
