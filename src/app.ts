// buildApp(deps) -> Fastify: everything but sockets, signals and the environment.

import { createHash, timingSafeEqual } from 'node:crypto';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import underPressure from '@fastify/under-pressure';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Metrics } from './metrics.ts';
import type { SyncDeps } from './sync/deps.ts';
import { createLoop, type RunHook } from './sync/loop.ts';
import { createQuickParse } from './sync/parse-body.ts';
import { createBackupLoop } from './sync/rdsbackup/loop.ts';
import { backupRoutes } from './sync/rdsbackup/routes.ts';
import { hookRoutes } from './sync/routes.ts';
import { createShareLoop } from './sync/share/loop.ts';
import { shareRoutes } from './sync/share/routes.ts';
import { createStandingAnswers, type StandingAnswers } from './sync/standing-answers.ts';

export type AppDeps = {
  sync: SyncDeps;
  metrics: Metrics;
  /** The page /metrics/databases; undefined: there is none. */
  databaseMetrics?: (() => Promise<string>) | undefined;
  /** Puts a span around each call. */
  traced?: ((run: RunHook) => RunHook) | undefined;
  /** Above it hook calls are told to come again; 2 s by default. Zero looks at no clock. */
  maxEventLoopDelayMs?: number | undefined;
  /** Any of these opens the hooks; empty = open to everyone who reaches the port. */
  hookTokens: readonly string[];
  /** undefined: ready. Otherwise what is missing, in words. */
  notReady: () => Promise<string | undefined>;
  logger: FastifyBaseLogger;
  https?: { cert: Buffer; key: Buffer } | undefined;
  version: string;
};

const BODY_LIMIT = 16 * 1024 * 1024;
const OVERLOAD_RETRY_SECONDS = 5;
const MAX_EVENT_LOOP_DELAY_MS = 2_000;

export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: deps.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 256 },
    // A hook that edits its input cannot be trusted: the API server already defaulted and pruned.
    ajv: {
      customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, allErrors: false },
    },
    ...(deps.https ? { https: deps.https } : {}),
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as FastifyInstance;

  app.setErrorHandler(onError);
  // A logger for each request costs more than many a request; the one line that needs the id names it.
  app.setChildLoggerFactory((logger) => logger);
  // Answers that leave while we stop end their connection: an idle one would keep the process waiting.
  let isStopping = false;
  app.addHook('preClose', async () => {
    isStopping = true;
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isStopping) reply.header('connection', 'close');
    done(null, payload);
  });
  await app.register(swagger, { openapi: { info: { title: 'rds-pilot', version: deps.version } } });
  await app.register(async (hooks) => {
    // Beside the hooks only: a busy pod must not fail its liveness probe.
    await hooks.register(underPressure, {
      maxEventLoopDelay: deps.maxEventLoopDelayMs ?? MAX_EVENT_LOOP_DELAY_MS,
      exposeStatusRoute: false,
      pressureHandler: (_request, reply) => {
        void reply
          .code(429)
          .header('retry-after', `${OVERLOAD_RETRY_SECONDS}`)
          .send({ error: 'Overloaded', message: 'too many hook calls at once' });
      },
    });
    if (deps.hookTokens.length > 0) hooks.addHook('onRequest', authorize(deps.hookTokens));
    const { clock, syncedAgain } = deps.sync;
    const { metrics, traced = (run) => run } = deps;
    const standing = createStandingAnswers(clock);
    parseHookCalls(hooks, standing);
    const run = traced(createLoop(deps.sync));
    await hooks.register(hookRoutes, { run, clock, metrics, standing, syncedAgain });
    await hooks.register(backupRoutes, { run: createBackupLoop(deps.sync), clock, metrics });
    await hooks.register(shareRoutes, { run: createShareLoop(deps.sync), clock, metrics });
  });
  app.get('/healthz', { schema: { summary: 'The process is alive' } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { schema: { summary: 'Hook calls can be answered' } }, async (_request, reply) => {
    const missing = await deps.notReady();
    return missing === undefined
      ? { status: 'ok' }
      : reply.code(503).send({ status: 'not ready', message: missing });
  });
  app.get('/metrics', { schema: { summary: 'Metrics of the operator' } }, async (_request, reply) =>
    reply.type(deps.metrics.registry.contentType).send(await deps.metrics.registry.metrics()),
  );
  const { databaseMetrics } = deps;
  if (databaseMetrics)
    app.get(
      '/metrics/databases',
      { schema: { summary: 'Metrics of the databases' } },
      async (_request, reply) => reply.type(deps.metrics.registry.contentType).send(await databaseMetrics()),
    );
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  return app;
}

/** A call whose answer stands is not even parsed. */
function parseHookCalls(hooks: FastifyInstance, standing: StandingAnswers): void {
  const parse = hooks.getDefaultJsonParser('error', 'error');
  const parseQuickly = createQuickParse();
  hooks.decorateRequest('standing', undefined);
  hooks.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (request.routeOptions.config.mayStand) request.standing = standing.open(body);
    if (request.standing?.answer) return done(null, undefined);
    const value = parseQuickly(body);
    if (value === undefined) void parse(request, body, done);
    else done(null, value);
  });
}

/** Compared as digests of equal length: neither length nor content of a token shows in the timing. */
function authorize(tokens: readonly string[]) {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const accepted = tokens.map((token) => digest(`Bearer ${token}`));
  return async (request: FastifyRequest): Promise<void> => {
    const given = digest(request.headers.authorization ?? '');
    const matches = accepted.map((token) => timingSafeEqual(token, given));
    if (!matches.includes(true)) {
      throw Object.assign(new Error('the hook token is missing or wrong'), {
        statusCode: 401,
        code: 'Unauthorized',
      });
    }
  };
}

/** The body of a failed hook ends up in an Event: a bug shows its id there and its text only in our log. */
function onError(error: FastifyError, request: FastifyRequest, reply: import('fastify').FastifyReply): void {
  const status = error.statusCode ?? 500;
  if (error.validation) {
    const [first] = error.validation;
    const field = `${error.validationContext ?? 'body'}${first?.instancePath.replaceAll('/', '.') ?? ''}`;
    void reply.code(400).send({ error: 'BadRequest', message: `${field}: ${first?.message ?? 'invalid'}` });
  } else if (status < 500) {
    void reply.code(status).send({ error: error.code, message: error.message });
  } else {
    request.log.error({ reqId: request.id, err: error }, 'bug in a hook');
    void reply
      .code(500)
      .send({ error: 'Internal', message: `see the log of rds-pilot, request ${request.id}` });
  }
}
