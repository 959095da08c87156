// The process edge: environment, listeners, graceful stop. Without a cloud or a cluster it can bring its own
// (OTC_SIMULATOR=embedded, LOCAL_MANIFESTS=folder).

import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { systemClock } from './clock.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { CloudError } from './errors.ts';
import type { KubeCall } from './kube/api.ts';
import { KubeconfigError } from './kube/kubeconfig.ts';
import type { Laptop } from './local/laptop.ts';
import type { Playground } from './local/playground/playground.ts';
import type { JobRunner } from './local/pods/jobs.ts';
import { createLogger } from './logger.ts';
import type { Send } from './otc/send.ts';
import { createUndiciSend } from './otc/undici-send.ts';
import { createService, type Service } from './service.ts';
import type { Simulator } from './simulator/simulator.ts';

const STOP_WITHIN_MS = 30_000;
const VERSION = process.env.npm_package_version ?? '0.0.0';

type RunningSimulator = { simulator: Simulator; otc: Record<string, string>; close(): Promise<void> };

async function startSimulator(config: Config): Promise<RunningSimulator | undefined> {
  if (!config.simulator) return undefined;
  const [{ createSimulator }, { serveSimulator }, { demoVariables }] = await Promise.all([
    import('./simulator/simulator.ts'),
    import('./simulator/server.ts'),
    import('./simulator/demo-account.ts'),
  ]);
  const simulator = createSimulator({ speed: config.simulator.speed });
  const server = await serveSimulator(simulator, { port: config.simulator.port });
  return { simulator, otc: demoVariables(server.url), close: server.close };
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

/** Nobody else would run the Jobs that the loop makes. */
async function createOptionalJobRunner(
  laptop: Laptop | undefined,
  config: Config,
): Promise<JobRunner | undefined> {
  if (!laptop) return undefined;
  const [{ createJobRunner }, { sqlRefusal }] = await Promise.all([
    import('./local/pods/jobs.ts'),
    import('./local/pods/sql-refusal.ts'),
  ]);
  const { kube, watch } = laptop;
  return createJobRunner({
    kube,
    watch,
    kill: (pid, signal) => process.kill(pid, signal),
    refusal: config.simulator ? sqlRefusal : () => undefined,
    onProblem: (message) => process.stderr.write(`${message}\n`),
  });
}

/** What a replica of the hook has of the world. */
type Outside = { send: Send; kube?: KubeCall | undefined };
type Hook = { listen(where: { host: string; port: number }): Promise<string>; close(): Promise<void> };

/** Alarms come to a port of their own, if at all; the address is that of the hooks. */
const hookOf = ({ app, alarms, close }: Service, { alarms: configured }: Config, log: Logger): Hook => ({
  async listen(where) {
    if (alarms && configured) {
      const address = await alarms.listen({ host: where.host, port: configured.port });
      log.info({ address }, 'the alarm port is open');
    }
    return app.listen(where);
  },
  close,
});

/** The page needs both stand-ins: the simulated cloud to break, and the local loop to watch. */
async function createOptionalPlayground(
  running: RunningSimulator | undefined,
  laptop: Laptop | undefined,
  jobs: JobRunner | undefined,
  hook: { send: Send; startService: (outside: Outside) => Promise<Service>; speed: number },
): Promise<Playground | undefined> {
  if (!running || !laptop || !jobs) return undefined;
  const { createPlayground } = await import('./local/playground/playground.ts');
  const { simulator } = running;
  const { kube, watch } = laptop;
  const { output } = jobs;
  return createPlayground({ clock: systemClock, simulator, kube, watch, output, ...hook });
}

async function main(): Promise<void> {
  const config = readConfig(process.env);
  const interactive = config.localManifests !== undefined;
  const log = createLogger(interactive && process.env.LOG_LEVEL === undefined ? 'warn' : config.logLevel);
  const simulator = await startSimulator(config);
  const laptop = await createOptionalLaptop(config);
  const jobs = await createOptionalJobRunner(laptop, config);
  const otcSend = createUndiciSend();
  const startService = ({ send, kube }: Outside) =>
    createService({
      config: { ...config, otc: config.otc ?? simulator?.otc },
      env: process.env,
      send,
      log,
      kube,
      version: VERSION,
    });
  const { send } = otcSend;
  const speed = config.simulator?.speed ?? 1;
  const playground = await createOptionalPlayground(simulator, laptop, jobs, { send, startService, speed });
  const hook = playground?.replica ?? hookOf(await startService({ send, kube: laptop?.kube }), config, log);
  closeWithGrace({ delay: STOP_WITHIN_MS, logger: false }, async ({ err, signal }) => {
    if (err) log.error({ err }, 'stopping after an error');
    else log.info({ signal }, 'stopping: calls in flight are finished');
    laptop?.stop();
    await jobs?.stop();
    await playground?.close();
    await hook.close();
    await otcSend.close();
    await simulator?.close();
  });
  const url = await hook.listen({ host: interactive ? '127.0.0.1' : config.host, port: config.port });
  if (laptop) await runLaptop({ laptop, playground, config, url, authUrl: simulator?.otc.OS_AUTH_URL });
}

type LaptopRun = {
  laptop: Laptop;
  playground: Playground | undefined;
  config: Config;
  url: string;
  authUrl: string | undefined;
};

async function runLaptop({ laptop, playground, config, url, authUrl }: LaptopRun): Promise<void> {
  const folder = config.localManifests ?? '';
  const page = await playground?.listen();
  process.stdout.write(
    `hook       ${url}  (try /openapi.json, /metrics)\n` +
      `cloud      ${authUrl ?? 'as configured'}  (simulated; ${config.simulator?.speed ?? 1} times as fast)\n` +
      `manifests  ${folder}  (edit, add or remove files and watch; Ctrl-C ends)\n` +
      `${page ? `playground ${page}  (open it in a browser: watch, change, break)\n` : ''}\n`,
  );
  await laptop.start({ url, token: config.hookTokens[0], watchHook: playground?.watchHook });
  await laptop.follow(folder);
  laptop.show(process.stdout);
}

main().catch((error: unknown) => {
  const expected =
    error instanceof ConfigError || error instanceof CloudError || error instanceof KubeconfigError;
  const listening = (error as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
  const message = error instanceof Error ? error.message : String(error);
  const hint = listening ? ' (set PORT, ALARM_PORT or SIMULATOR_PORT to a free one)' : '';
  process.stderr.write(
    expected || listening
      ? `rds-pilot cannot start: ${message}${hint}\n`
      : `rds-pilot cannot start: ${error instanceof Error ? error.stack : message}\n`,
  );
  process.exit(1);
});
