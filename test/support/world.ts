// A whole small world on a virtual clock: the real hook code, the simulated cloud, a memory API server and
// Metacontroller's part. Tests act on it as users and look at it as users do.

import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { parse } from 'yaml';
import { buildApp } from '../../src/app.ts';
import type { KubeObject } from '../../src/kube/api.ts';
import { createEventWriter } from '../../src/kube/events.ts';
import { createEvidenceKeeper } from '../../src/kube/evidence.ts';
import { createJournalStore } from '../../src/kube/journal.ts';
import { createReadLive, createReadLiveBackup, createReadLiveNamespace } from '../../src/kube/live.ts';
import { createOwnerLeases } from '../../src/kube/owner-lease.ts';
import { createReadSecretOwners } from '../../src/kube/secret-owner.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { backupAdmission } from '../../src/local/backup-admission.ts';
import type { CallHook } from '../../src/local/hook-call.ts';
import { createMetacontroller, type Metacontroller } from '../../src/local/metacontroller.ts';
import { rdsAdmission } from '../../src/local/rds-admission.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import { createMetrics } from '../../src/metrics.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import type { OtcRequest, Send } from '../../src/otc/send.ts';
import { rdsBackupCrd, rdsCrd } from '../../src/rds/crd.ts';
import type { Timing } from '../../src/rds/journal.ts';
import type { RdsSpec } from '../../src/rds/spec.ts';
import type { RdsStatus } from '../../src/rds/status.ts';
import {
  DEMO_DOMAIN,
  DEMO_PROJECT,
  DEMO_USER,
  demoVariables,
  REGION,
} from '../../src/simulator/demo-account.ts';
import type { SimulatorOptions } from '../../src/simulator/options.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import type { SyncDeps } from '../../src/sync/deps.ts';
import { drawPassword } from '../../src/sync/draw-password.ts';

export const START = Date.parse('2026-11-16T08:00:00Z');
export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export const demoCredentials = demoVariables('http://127.0.0.1:9090');

export const defaultTiming: Timing = { settleMs: 300 * SECOND, absenceGapMs: 30 * SECOND };

const controllerManifest = (name: string): KubeObject =>
  parse(readFileSync(new URL(`../../metacontroller/${name}.yaml`, import.meta.url), 'utf8')) as KubeObject;

/** Small and repeatable; only for tests. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type WorldOptions = {
  /** What time it is at first; always the same day unless somebody needs another one. */
  startsAt?: number;
  /** The cloud and the time of another world, with an empty cluster. */
  cloud?: { clock: ReturnType<typeof createVirtualClock>; simulator: ReturnType<typeof createSimulator> };
  simulator?: Omit<SimulatorOptions, 'clock'>;
  timing?: Timing;
  seed?: number;
  hookTokens?: string[];
  deps?: Partial<SyncDeps>;
  logTo?: { write(line: string): void };
  /** With the DecoratorController that shares Secrets. */
  shares?: boolean;
  /** Beside team-a. */
  namespaces?: readonly string[];
};

export type HookCall = { path: string; body: unknown; status: number; answer: unknown };

/** Kept as text, and read when somebody looks: a world of hours has thousands, and few are looked at. */
function keptCall(path: string, sent: string, status: number, received: string): HookCall {
  let body: unknown;
  let answer: unknown;
  return {
    path,
    status,
    get body() {
      body ??= JSON.parse(sent);
      return body;
    },
    get answer() {
      answer ??= JSON.parse(received);
      return answer;
    },
  };
}

export async function createWorld(options: WorldOptions = {}) {
  const clock = options.cloud?.clock ?? createVirtualClock(options.startsAt ?? START);
  const random = seededRandom(options.seed ?? 1);
  const simulator =
    options.cloud?.simulator ??
    createSimulator({ ...options.simulator, clock, baseUrl: 'http://127.0.0.1:9090' });
  const uid = seededUids(options.seed ?? 1);
  const api = createApiServer({
    clock,
    uid,
    admission: { Rds: rdsAdmission, RdsBackup: backupAdmission },
    namespaces: ['rds-pilot', 'team-a', ...(options.namespaces ?? [])],
  });
  const calls: HookCall[] = [];
  const listeners: ((request: OtcRequest) => void)[] = [];
  const send: Send = (request) => {
    for (const listener of listeners) listener(request);
    return simulator.send(request);
  };
  const log = options.logTo ? pino({ level: 'trace' }, options.logTo) : pino({ level: 'silent' });

  /** A replica: its own caches, its own token, the shared cluster and cloud. */
  async function startReplica(more: Partial<SyncDeps> = {}): Promise<FastifyInstance> {
    const deps: SyncDeps = {
      clock,
      openCloud: createOpenCloud({ send, clock, random }),
      defaultCredentials: readCredentials(demoCredentials),
      readCredentials,
      journal: createJournalStore({ call: api.call, namespace: 'rds-pilot', nonce: uid, deadlineMs: 2_500 }),
      ownerLeases: createOwnerLeases(api.call, 'rds-pilot', 2_500),
      readLive: createReadLive(api.call, 2_500),
      readLiveBackup: createReadLiveBackup(api.call, 2_500),
      readSecretOwners: createReadSecretOwners(api.call, 2_500),
      readLiveNamespace: createReadLiveNamespace(api.call, 2_500),
      timing: options.timing ?? defaultTiming,
      draw: () => ({ password: drawPassword((below) => Math.floor(random() * below)), mark: uid() }),
      memorySince: undefined,
      publish: createEventWriter(api.call, clock.now, log),
      keepEvidence: createEvidenceKeeper(api.call, 'rds-pilot', clock.now, log),
      log,
      ...options.deps,
      ...more,
    };
    return buildApp({
      sync: deps,
      metrics: createMetrics({ process: false }),
      hookTokens: options.hookTokens ?? [],
      notReady: async () => undefined,
      logger: log,
      version: 'test',
      // The time of this world is virtual.
      maxEventLoopDelayMs: 0,
    });
  }

  let app = await startReplica();
  const callHook: CallHook = async (path, body) => {
    const payload = JSON.stringify(body);
    const response = await app.inject({
      method: 'POST',
      url: new URL(path, 'http://hook').pathname,
      headers: { 'content-type': 'application/json' },
      payload,
    });
    calls.push(keptCall(path, payload, response.statusCode, response.body));
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    );
    return { status: response.statusCode, headers, body: response.body };
  };
  const startLoops = async (): Promise<Metacontroller[]> => {
    const loops = ['controller', 'controller-rdsbackup', ...(options.shares ? ['decorator-share'] : [])].map(
      (name) =>
        createMetacontroller({
          controller: controllerManifest(name),
          kube: api.call,
          watch: api.source,
          callHook,
          clock,
        }),
    );
    for (const loop of loops) await loop.start();
    return loops;
  };
  for (const crd of [rdsCrd(), rdsBackupCrd()])
    await kube('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
  let loops = await startLoops();

  async function kube(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    contentType?: string,
  ) {
    return api.call({ method, path, body, deadlineMs: 1_000, ...(contentType ? { contentType } : {}) });
  }
  const rdsPath = (name: string, namespace = 'team-a') =>
    `/apis/otc.mcsps.de/v1alpha1/namespaces/${namespace}/rdss/${name}`;

  /** Somebody at the console of the cloud: a call with its own token, past the operator. */
  async function byHand(method: string, path: string, body?: unknown) {
    const user = { name: DEMO_USER.name, password: DEMO_USER.password, domain: { name: DEMO_DOMAIN.name } };
    const login = {
      auth: {
        identity: { methods: ['password'], password: { user } },
        scope: { project: { id: DEMO_PROJECT.id } },
      },
    };
    const headers = { host: '127.0.0.1:9090', 'content-type': 'application/json' };
    const { headers: given } = await simulator.handle({
      method: 'POST',
      url: '/v3/auth/tokens',
      headers,
      body: JSON.stringify(login),
    });
    const answer = await simulator.handle({
      method,
      url: /^\/(vpc|ces|smn)\//.test(path) ? path : `/rds/v3/${DEMO_PROJECT.id}${path}`,
      headers: { ...headers, 'x-auth-token': given['x-subject-token'] ?? '' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: answer.status,
      body: answer.body === '' ? undefined : (JSON.parse(answer.body) as unknown),
    };
  }

  /** An instance that somebody made in the console; its id. */
  async function createByHand(name: string, more: Record<string, unknown> = {}): Promise<string> {
    const firstId = async (path: string, list: string) =>
      ((await byHand('GET', path)).body as Record<string, { id: string }[]>)[list]?.[0]?.id;
    const { status, body } = await byHand('POST', '/instances', {
      name,
      datastore: { type: 'MySQL', version: '8.0' },
      flavor_ref: 'rds.mysql.c2.medium',
      volume: { type: 'COMMON', size: 40 },
      region: REGION,
      availability_zone: 'eu-de-01',
      vpc_id: await firstId(`/vpc/v1/${DEMO_PROJECT.id}/vpcs`, 'vpcs'),
      subnet_id: await firstId(`/vpc/v1/${DEMO_PROJECT.id}/subnets`, 'subnets'),
      security_group_id: await firstId('/vpc/v2.0/security-groups', 'security_groups'),
      password: 'A12345678+',
      ...more,
    });
    if (status !== 202) throw new Error(`create by hand: ${status} ${JSON.stringify(body)}`);
    return (body as { instance: { id: string } }).instance.id;
  }

  return {
    clock,
    simulator,
    byHand,
    /** Every request that the operator sends to the cloud from now on. */
    onCloudCall: (listener: (request: OtcRequest) => void) => void listeners.push(listener),
    createByHand,
    api,
    calls,
    kube,
    rdsPath,
    get app() {
      return app;
    },
    async restartReplica() {
      await app.close();
      app = await startReplica();
    },
    /** Nobody calls the hooks until the loop is started again. */
    pauseLoops() {
      for (const loop of loops) loop.stop();
    },
    async restartLoop() {
      for (const loop of loops) loop.stop();
      loops = await startLoops();
    },
    startReplica,
    apply: async (name: string, spec: RdsSpec, annotations?: Record<string, string>) => {
      const body = {
        apiVersion: 'otc.mcsps.de/v1alpha1',
        kind: 'Rds',
        metadata: { name, namespace: 'team-a', ...(annotations ? { annotations } : {}) },
        spec,
      };
      const path = `${rdsPath(name)}?fieldManager=kubectl&force=true`;
      return kube('PATCH', path, body, 'application/apply-patch+yaml');
    },
    annotate: (name: string, annotations: Record<string, string | null>) =>
      kube('PATCH', rdsPath(name), { metadata: { annotations } }, 'application/merge-patch+json'),
    secret: (name: string, values: Record<string, string>) =>
      kube('POST', '/api/v1/namespaces/team-a/secrets', {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: 'team-a' },
        data: Object.fromEntries(
          Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
        ),
      }),
    rds: async (name: string) => {
      const { status, body } = await kube('GET', rdsPath(name));
      return status === 200 ? (body as KubeObject & { status?: RdsStatus; spec: RdsSpec }) : undefined;
    },
    object: async (path: string) => {
      const { status, body } = await kube('GET', path);
      return status === 200 ? (body as KubeObject) : undefined;
    },
    status: async (name: string) =>
      ((await kube('GET', rdsPath(name))).body as { status?: RdsStatus }).status ?? {},
    remove: (name: string) => kube('DELETE', rdsPath(name)),
    /** Runs until the phase is reached; false after an hour of virtual time. */
    async reaches(name: string, phase: string, limitMs = 60 * MINUTE): Promise<boolean> {
      let seen: unknown;
      const path = rdsPath(name);
      const unwatch = api.watch(({ object }) => {
        if (object.kind === 'Rds' && object.metadata.name === name)
          seen = (object.status as RdsStatus | undefined)?.phase;
      });
      seen = ((await kube('GET', path)).body as { status?: RdsStatus }).status?.phase;
      const reached = await clock.runUntil(() => seen === phase, limitMs);
      unwatch();
      return reached;
    },
    async isGone(name: string, limitMs = 60 * MINUTE): Promise<boolean> {
      let gone = (await kube('GET', rdsPath(name))).status === 404;
      const unwatch = api.watch(({ type, object }) => {
        if (type === 'DELETED' && object.kind === 'Rds' && object.metadata.name === name) gone = true;
      });
      const reached = await clock.runUntil(() => gone, limitMs);
      unwatch();
      return reached;
    },
    creates: () => simulator.calls().rds?.['POST /v3/{project}/instances'] ?? 0,
    async stop() {
      for (const loop of loops) loop.stop();
      await app.close();
    },
  };
}

export type World = Awaited<ReturnType<typeof createWorld>>;

export function condition(status: Pick<RdsStatus, 'conditions'>, type: string) {
  return status.conditions?.find((one) => one.type === type);
}
