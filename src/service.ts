// Config -> everything the hook needs, wired together. No process, no sockets: server.ts and the demo add those.

import { randomUUID } from 'node:crypto';
import type { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createAlarmPort } from './alarm-port.ts';
import { buildApp } from './app.ts';
import { systemClock } from './clock.ts';
import { type Config, ConfigError } from './config.ts';
import { startHousekeeping } from './housekeeping.ts';
import { createInsight } from './insight/insight.ts';
import { tracedHook, tracedSend } from './insight/tracing.ts';
import type { KubeCall } from './kube/api.ts';
import { inClusterConnection, kubeconfigConnection } from './kube/connection.ts';
import { createEventWriter } from './kube/events.ts';
import { createEvidenceKeeper } from './kube/evidence.ts';
import { createKubeHttp } from './kube/http.ts';
import { createReadJobMessages } from './kube/job-messages.ts';
import { createJournalStore } from './kube/journal.ts';
import { createReadLive, createReadLiveBackup, createReadLiveNamespace, requestIsLive } from './kube/live.ts';
import { createMemoryLeases } from './kube/memory-leases.ts';
import { createOwnerLeases } from './kube/owner-lease.ts';
import { createReadSecretOwners } from './kube/secret-owner.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { readCredentials } from './otc/credentials.ts';
import { createOpenCloud } from './otc/open.ts';
import type { Send } from './otc/send.ts';
import type { SyncDeps } from './sync/deps.ts';
import { drawPassword } from './sync/draw-password.ts';
import { readTls, reloadTls } from './tls-reload.ts';

const KUBE_DEADLINE_MS = 2_500;
const HOUSEKEEPING_CALL_MS = 8_000;

export type ServiceOptions = {
  config: Config;
  env: Record<string, string | undefined>;
  send: Send;
  log: Logger;
  /** An API server in memory instead of the configured one. */
  kube?: KubeCall | undefined;
  version: string;
};

export type Service = {
  app: FastifyInstance;
  /** On a port of its own; undefined: no port is configured for it. */
  alarms: FastifyInstance | undefined;
  close(): Promise<void>;
};

type Cluster = { call: KubeCall; hasRds: boolean; close(): Promise<void> };

export async function createService(options: ServiceOptions): Promise<Service> {
  const { config, log } = options;
  const cluster = connectCluster(options);
  const { call } = cluster;
  const metrics = createMetrics({ process: true });
  const wired = syncDeps(options, cluster, metrics);
  const insight = createInsight(wired);
  const sync: SyncDeps = { ...wired, synced: insight.synced, syncedAgain: insight.syncedAgain };
  metrics.watchFleet(insight.counts);
  const app = await buildApp({
    sync,
    metrics,
    databaseMetrics: insight.databases,
    traced: tracedHook,
    logger: log,
    version: options.version,
    hookTokens: config.hookTokens,
    https: config.tls && readTls(config.tls),
    notReady: () => leasesMissing(call, config.podNamespace),
  });
  const { defaultCredentials } = sync;
  const cloud =
    defaultCredentials && sync.openCloud(defaultCredentials, { remainingMs: () => HOUSEKEEPING_CALL_MS });
  const stopHousekeeping = cluster.hasRds
    ? startHousekeeping({ call, namespace: config.podNamespace, cloud, metrics, now: systemClock.now, log })
    : () => {};
  const alarms =
    config.alarms && cloud
      ? createAlarmPort(config.alarms, {
          ...cluster,
          tls: config.tls,
          journal: sync.journal,
          cloud,
          metrics,
          log,
        })
      : undefined;
  const stopReloading = [app, alarms?.listener].map((listener) => followCertificate(listener, options));
  return {
    app,
    alarms: alarms?.listener,
    async close() {
      stopHousekeeping();
      for (const stop of stopReloading) stop();
      await Promise.all([app.close(), alarms?.close()]);
      await cluster.close();
    },
  };
}

function followCertificate(
  listener: FastifyInstance | undefined,
  { config, log }: ServiceOptions,
): () => void {
  return config.tls && listener && 'setSecureContext' in listener.server
    ? reloadTls(listener.server as unknown as TlsServer, config.tls, log)
    : () => {};
}

function syncDeps({ config, log, send }: ServiceOptions, cluster: Cluster, metrics: Metrics): SyncDeps {
  const clock = systemClock;
  const { call, hasRds } = cluster;
  const namespace = config.podNamespace;
  return {
    clock,
    log,
    timing: config.timing,
    openCloud: createOpenCloud({
      send: tracedSend(send),
      clock,
      random: Math.random,
      observe: ({ service, method, route, status, code, durationMs }) =>
        metrics.otcCalled({
          service,
          method,
          route,
          result: `${status ?? code}`,
          seconds: durationMs / 1000,
        }),
      usage: {
        cache: metrics.cacheUsed,
        limiter: (waitedMs, result) => metrics.limiterPassed(waitedMs / 1000, result),
      },
    }),
    defaultCredentials: config.otc ? readCredentials(config.otc) : undefined,
    readCredentials,
    journal: createJournalStore({ call, namespace, nonce: randomUUID, deadlineMs: KUBE_DEADLINE_MS }),
    ownerLeases: createOwnerLeases(call, namespace, KUBE_DEADLINE_MS),
    readLive: hasRds ? createReadLive(call, KUBE_DEADLINE_MS) : requestIsLive,
    readLiveBackup: hasRds ? createReadLiveBackup(call, KUBE_DEADLINE_MS) : async (backup) => backup,
    jobImage: config.jobImage,
    decided: metrics.autopilotDecided,
    ...(hasRds
      ? {
          readJobMessages: createReadJobMessages(call, KUBE_DEADLINE_MS),
          readSecretOwners: createReadSecretOwners(call, KUBE_DEADLINE_MS),
          readLiveNamespace: createReadLiveNamespace(call, KUBE_DEADLINE_MS),
        }
      : {}),
    memorySince: hasRds ? undefined : clock.now(),
    draw: () => ({ password: drawPassword(), mark: randomUUID() }),
    publish: hasRds ? createEventWriter(call, clock.now, log) : () => {},
    keepEvidence: hasRds ? createEvidenceKeeper(call, namespace, clock.now, log) : () => {},
  };
}

function connectCluster({ config, env, kube, log }: ServiceOptions): Cluster {
  const close = async () => {};
  if (kube) return { call: kube, hasRds: true, close };
  if (config.journal === 'memory') {
    log.warn(
      'JOURNAL=memory: one replica only, and nothing is created for older Rds within the settle time after a start',
    );
    return { call: createMemoryLeases(), hasRds: false, close };
  }
  const connection = config.kubeconfig ? kubeconfigConnection(config.kubeconfig) : inClusterConnection(env);
  if (!connection) {
    throw new ConfigError(
      'JOURNAL=lease needs an API server: run in a cluster, set KUBECONFIG, or set JOURNAL=memory to try it alone',
    );
  }
  const http = createKubeHttp(connection);
  return { call: http.call, hasRds: true, close: http.close };
}

/** A replica that cannot write its journal would refuse every write: it should get no calls. */
async function leasesMissing(call: KubeCall, namespace: string): Promise<string | undefined> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases?dryRun=All`;
  const body = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'rds-pilot-probe', namespace },
  };
  try {
    const { status } = await call({ method: 'POST', path, body, deadlineMs: KUBE_DEADLINE_MS });
    if (status === 201 || status === 409) return undefined;
    if (status === 404) return `the namespace ${namespace} does not exist: create it or set POD_NAMESPACE`;
    return `the API server answers ${status} for Leases in namespace ${namespace}: give rds-pilot get, list, create, update and delete on leases there`;
  } catch (error) {
    return `${error instanceof Error ? error.message : error}. Check KUBECONFIG and its certificate-authority`;
  }
}
