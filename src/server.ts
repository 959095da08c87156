// The process edge: environment, listeners, graceful stop. Without a cloud or a cluster it can bring its own
// (OTC_SIMULATOR=embedded, LOCAL_MANIFESTS=folder).

import closeWithGrace from 'close-with-grace';
import { systemClock } from './clock.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { CloudError } from './errors.ts';
import { KubeconfigError } from './kube/connection.ts';
import type { Laptop } from './local/laptop.ts';
import { createLogger } from './logger.ts';
import { createUndiciSend } from './otc/undici-send.ts';
import { createService } from './service.ts';

const STOP_WITHIN_MS = 30_000;
const VERSION = process.env.npm_package_version ?? '0.0.0';

type Started = { close(): Promise<void> };

async function startSimulator(
  config: Config,
): Promise<(Started & { otc: Record<string, string> }) | undefined> {
  if (!config.simulator) return undefined;
  const [{ createSimulator }, { serveSimulator }, { demoVariables }] = await Promise.all([
    import('./simulator/simulator.ts'),
    import('./simulator/server.ts'),
    import('./simulator/demo-account.ts'),
  ]);
  const simulator = createSimulator({ speed: config.simulator.speed });
  const server = await serveSimulator(simulator, { port: config.simulator.port });
  return { otc: demoVariables(server.url), close: server.close };
}

async function createOptionalLaptop(config: Config): Promise<Laptop | undefined> {
  if (!config.localManifests) return undefined;
  const { createLaptop } = await import('./local/laptop.ts');
  return createLaptop({
    clock: systemClock,
    controllerFiles: ['controller', 'controller-rdsbackup'].map(
      (name) => new URL(`../metacontroller/${name}.yaml`, import.meta.url),
    ),
    namespace: config.podNamespace,
    speed: config.simulator?.speed ?? 1,
    onProblem: (message) => process.stderr.write(`${message}\n`),
  });
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const interactive = config.localManifests !== undefined;
  const log = createLogger(interactive && process.env.LOG_LEVEL === undefined ? 'warn' : config.logLevel);
  const simulator = await startSimulator(config);
  const laptop = await createOptionalLaptop(config);
  const otcSend = createUndiciSend();
  const service = await createService({
    config: { ...config, otc: config.otc ?? simulator?.otc },
    env: process.env,
    send: otcSend.send,
    log,
    kube: laptop?.kube,
    version: VERSION,
  });
  closeWithGrace({ delay: STOP_WITHIN_MS, logger: false }, async ({ err, signal }) => {
    if (err) log.error({ err }, 'stopping after an error');
    else log.info({ signal }, 'stopping: calls in flight are finished');
    laptop?.stop();
    await service.close();
    await otcSend.close();
    await simulator?.close();
  });
  const url = await service.app.listen({ host: interactive ? '127.0.0.1' : config.host, port: config.port });
  if (laptop && config.localManifests) await runLaptop(laptop, config, url, simulator?.otc.OS_AUTH_URL);
}

async function runLaptop(
  laptop: Laptop,
  config: Config,
  url: string,
  authUrl: string | undefined,
): Promise<void> {
  const folder = config.localManifests ?? '';
  process.stdout.write(
    `hook       ${url}  (try /openapi.json, /metrics)\n` +
      `cloud      ${authUrl ?? 'as configured'}  (simulated; ${config.simulator?.speed ?? 1} times as fast)\n` +
      `manifests  ${folder}  (edit, add or remove files and watch; Ctrl-C ends)\n\n`,
  );
  await laptop.start({ url, token: config.hookTokens[0] });
  await laptop.follow(folder);
  laptop.show(process.stdout);
}

main().catch((error: unknown) => {
  const expected =
    error instanceof ConfigError || error instanceof CloudError || error instanceof KubeconfigError;
  const listening = (error as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
  const message = error instanceof Error ? error.message : String(error);
  const hint = listening ? ' (set PORT or SIMULATOR_PORT to a free one)' : '';
  process.stderr.write(
    expected || listening
      ? `rds-pilot cannot start: ${message}${hint}\n`
      : `rds-pilot cannot start: ${error instanceof Error ? error.stack : message}\n`,
  );
  process.exit(1);
});
