// A small world for the tests of the loop: API server, virtual clock, one CompositeController, a scripted hook.

import type { KubeObject, KubeRequest } from '../../src/kube/api.ts';
import { type ApiServer, type ApiServerOptions, createApiServer } from '../../src/local/api-server.ts';
import type { CallHook, HookResponse } from '../../src/local/hook-call.ts';
import {
  createMetacontroller,
  type LoopEvent,
  type MetacontrollerOptions,
} from '../../src/local/metacontroller.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createVirtualClock, type VirtualClock } from '../../src/local/virtual-clock.ts';

export const startMs = Date.parse('2026-11-16T02:40:00Z');

export type HookBody = {
  controller: KubeObject;
  parent: KubeObject & { spec: Record<string, unknown>; status?: Record<string, unknown> };
  children: Record<string, Record<string, KubeObject>>;
  related: Record<string, Record<string, KubeObject>>;
  finalizing: boolean;
};

export type Answer = {
  status?: Record<string, unknown> | null;
  children?: unknown[];
  resyncAfterSeconds?: number;
  finalized?: boolean;
};

export const ok = (answer: unknown): HookResponse => ({
  status: 200,
  headers: {},
  body: JSON.stringify(answer),
});

export const refusal = (status: number, headers: Record<string, string> = {}, body = 'no'): HookResponse => ({
  status,
  headers,
  body,
});

export const controllerManifest = (spec: Record<string, unknown> = {}): KubeObject => {
  const hook = (path: string) => ({
    version: 'v2',
    webhook: { url: `http://127.0.0.1:8080${path}`, timeout: '30s' },
  });
  const child = (apiVersion: string, resource: string, method: string) => ({
    apiVersion,
    resource,
    updateStrategy: { method },
  });
  return {
    apiVersion: 'metacontroller.k8s.io/v1alpha1',
    kind: 'CompositeController',
    metadata: { name: 'rds' },
    spec: {
      parentResource: { apiVersion: 'otc.mcsps.de/v1alpha1', resource: 'rdss' },
      childResources: [
        child('batch/v1', 'jobs', 'OnDelete'),
        child('v1', 'secrets', 'InPlace'),
        child('v1', 'services', 'InPlace'),
        child('discovery.k8s.io/v1', 'endpointslices', 'InPlace'),
      ],
      hooks: { sync: hook('/sync'), finalize: hook('/finalize'), customize: hook('/customize') },
      generateSelector: true,
      ...spec,
    },
  };
};

export const secret = (name: string, data: Record<string, string> = { a: 'YQ==' }) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name } as Record<string, unknown>,
  data,
});

export type Call = { path: string; body: HookBody; at: number };

export type Hooks = {
  sync?: (body: HookBody) => Answer | HookResponse | Promise<Answer | HookResponse>;
  finalize?: (body: HookBody) => Answer | HookResponse | Promise<Answer | HookResponse>;
  customize?: (body: HookBody) => unknown;
};

export type World = {
  clock: VirtualClock;
  server: ApiServer;
  calls: Call[];
  events: LoopEvent[];
  loop: ReturnType<typeof createMetacontroller>;
  /** A second process over the same cluster. */
  restart(overrides?: Partial<MetacontrollerOptions>): ReturnType<typeof createMetacontroller>;
  kube(
    method: KubeRequest['method'],
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<KubeObject>;
  createRds(name?: string, spec?: Record<string, unknown>): Promise<KubeObject>;
  rds(name?: string): Promise<KubeObject & { status: Record<string, unknown> }>;
  callsOf(path: string): Call[];
};

export const rdsPath = (name = 'shop') => `/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/${name}`;

const isResponse = (value: object): value is HookResponse => 'headers' in value && 'body' in value;

export const createWorld = async (
  hooks: Hooks,
  overrides: Partial<MetacontrollerOptions> = {},
  serverOptions: Partial<ApiServerOptions> = {},
): Promise<World> => {
  const clock = createVirtualClock(startMs, { turns: 2 });
  const server = createApiServer({
    clock,
    uid: seededUids(1),
    namespaces: ['default', 'team-a'],
    ...serverOptions,
  });
  const calls: Call[] = [];
  const events: LoopEvent[] = [];
  const callHook: CallHook = async (path, body) => {
    const seen = JSON.parse(JSON.stringify(body)) as HookBody;
    calls.push({ path, body: seen, at: clock.now() - startMs });
    if (path === '/customize') return ok(hooks.customize?.(seen) ?? { relatedResources: [] });
    const answer = (await (path === '/finalize' ? hooks.finalize : hooks.sync)?.(seen)) ?? {};
    return isResponse(answer) ? answer : ok(answer);
  };
  const make = (more: Partial<MetacontrollerOptions> = {}) =>
    createMetacontroller({
      controller: controllerManifest(),
      kube: server.call,
      watch: server.source,
      callHook,
      clock,
      onEvent: (event) => events.push(event),
      ...overrides,
      ...more,
    });
  const kube: World['kube'] = async (method, path, body, contentType) => {
    const request: KubeRequest = { method, path, body, deadlineMs: 1000 };
    if (contentType) request.contentType = contentType;
    return (await server.call(request)).body as KubeObject;
  };
  return {
    clock,
    server,
    calls,
    events,
    loop: make(),
    restart: make,
    kube,
    createRds: (name = 'shop', spec = { volumesize: 40 }) =>
      kube('POST', '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss?fieldManager=kubectl', {
        apiVersion: 'otc.mcsps.de/v1alpha1',
        kind: 'Rds',
        metadata: { name },
        spec,
      }),
    rds: async (name) =>
      (await kube('GET', rdsPath(name))) as KubeObject & { status: Record<string, unknown> },
    callsOf: (path) => calls.filter((call) => call.path === path),
  };
};
