// The page's own API: read the stream, check and apply manifests, delete, order load, throw switches.

import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { KubeCall, KubeObject } from '../../kube/api.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import type { RdsStatus } from '../../rds/status.ts';
import { isRecord } from '../json.ts';
import { collectionPath, knownResources, objectPath, type Resource } from '../resources.ts';
import { type FaultSwitches, SWITCH_NAMES, type SwitchName } from './fault-switches.ts';
import { checkManifests, type Wanted } from './manifest-check.ts';
import { PAGE_MANAGER } from './manifest-text.ts';
import type { Streams } from './stream.ts';
import type { World } from './world-view.ts';

export type RouteOptions = {
  world: World;
  streams: Streams;
  switches: FaultSwitches;
  kube: KubeCall;
  /** `POST /_sim/load` of the simulator. */
  orderLoad(body: object): Promise<{ status: number; body: string }>;
};

const FILES: Record<string, string> = {
  'index.html': 'text/html; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'chart.js': 'text/javascript; charset=utf-8',
  'delete.js': 'text/javascript; charset=utf-8',
  'connection.js': 'text/javascript; charset=utf-8',
  'detail.js': 'text/javascript; charset=utf-8',
  'dom.js': 'text/javascript; charset=utf-8',
  'editor.js': 'text/javascript; charset=utf-8',
  'list.js': 'text/javascript; charset=utf-8',
  'logs.js': 'text/javascript; charset=utf-8',
  'switches.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

const DEADLINE_MS = 5_000;
const percent = { type: ['number', 'null'], minimum: 0, maximum: 100 };
const withText = {
  body: {
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string' } },
    additionalProperties: false,
  },
};

export function addRoutes(app: FastifyInstance, options: RouteOptions): void {
  const { world, streams, switches, kube } = options;

  for (const [name, type] of Object.entries(FILES)) {
    const content = readFileSync(new URL(`page/${name}`, import.meta.url));
    app.get(name === 'index.html' ? '/' : `/${name}`, (_request, reply) => reply.type(type).send(content));
  }

  app.get<{ Querystring: { rds?: string } }>('/api/stream', (request, reply) => {
    reply.hijack();
    const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream' } as Record<string, string>;
    reply.raw.writeHead(200, headers);
    streams.open(reply.raw, request.query.rds);
  });

  const check = (text: string) =>
    checkManifests(text, (kind, namespace, name) => world.mirror.find(kind, namespace, name));

  app.post<{ Body: { text: string } }>('/api/check', { schema: withText }, async ({ body }) => {
    const { findings, wanted } = check(body.text);
    return { findings, objects: wanted.map(named) };
  });

  app.post<{ Body: { text: string } }>('/api/apply', { schema: withText }, async ({ body }) => {
    const { findings, wanted } = check(body.text);
    if (findings.length > 0) return { isApplied: false, findings, objects: [] };
    for (const one of wanted) await applyOne(kube, one);
    return { isApplied: true, findings, objects: wanted.map(named) };
  });

  app.delete<{ Params: { namespace: string; name: string } }>(
    '/api/rds/:namespace/:name',
    async ({ params }, reply) => {
      const resource = resourceOf('Rds');
      if (!world.mirror.find('Rds', params.namespace, params.name))
        return reply.code(404).send({ message: 'there is no such Rds' });
      await send(kube, 'DELETE', objectPath(resource, params));
      return {};
    },
  );

  type Load = { rds: string; cpu?: number | null; mem?: number | null; disk?: number | null };
  const loadBody = {
    type: 'object',
    required: ['rds'],
    properties: { rds: { type: 'string' }, cpu: percent, mem: percent, disk: percent },
    additionalProperties: false,
  };
  app.post<{ Body: Load }>('/api/load', { schema: { body: loadBody } }, async ({ body }, reply) => {
    const { rds, ...load } = body;
    const instance = world.instanceOf(rds);
    if (!instance?.phases)
      return reply.code(409).send({ message: 'The database is not built yet; it has no load.' });
    const answer = await options.orderLoad({ id: instance.id, ...load });
    return reply.code(answer.status).type('application/json').send(answer.body);
  });

  const rdsBody = {
    type: 'object',
    required: ['rds'],
    properties: { rds: { type: 'string' } },
    additionalProperties: false,
  };
  app.post<{ Body: { rds: string } }>('/api/logs', { schema: { body: rdsBody } }, async ({ body }, reply) => {
    const [namespace = '', name = ''] = body.rds.split('/');
    const rds = world.mirror.find('Rds', namespace, name);
    if (!rds) return reply.code(404).send({ message: 'there is no such Rds' });
    const annotations = { [ANNOTATIONS.logs]: nextLogOrder(rds) };
    const path = `${objectPath(resourceOf('Rds'), { namespace, name })}?fieldManager=${PAGE_MANAGER}`;
    await send(kube, 'PATCH', path, { metadata: { annotations } }, 'application/merge-patch+json');
    return {};
  });

  const switchBody = {
    type: 'object',
    required: ['name', 'on'],
    properties: { name: { enum: SWITCH_NAMES }, on: { type: 'boolean' } },
    additionalProperties: false,
  };
  app.post<{ Body: { name: SwitchName; on: boolean } }>(
    '/api/switch',
    { schema: { body: switchBody } },
    async ({ body }) => {
      await switches.set(body.name, body.on);
      return {};
    },
  );
}

/** The last hour; any new value is an order, so the span is spelled differently each time. */
function nextLogOrder({ metadata, status }: KubeObject): string {
  const { handled } = (status ?? {}) as RdsStatus;
  const used = [metadata.annotations?.[ANNOTATIONS.logs], handled?.[ANNOTATIONS.logs]];
  return ['1h', '60m', '1h0m'].find((value) => !used.includes(value)) ?? '1h';
}

const named = ({ object }: Wanted) => ({
  kind: object.kind,
  namespace: object.metadata.namespace,
  name: object.metadata.name,
});

function resourceOf(kind: string): Resource {
  const resource = knownResources.find((one) => one.kind === kind);
  if (!resource) throw new Error(`${kind} is not served here`);
  return resource;
}

/** As `kubectl apply` does, and the namespace with it. */
async function applyOne(kube: KubeCall, { resource, object }: Wanted): Promise<void> {
  const { namespace = 'default' } = object.metadata;
  const namespaces = resourceOf('Namespace');
  const home = await kube({
    method: 'GET',
    path: objectPath(namespaces, { name: namespace }),
    deadlineMs: DEADLINE_MS,
  });
  if (home.status === 404) {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await send(kube, 'POST', `${collectionPath(namespaces)}?fieldManager=kubectl`, body);
  }
  const path = `${objectPath(resource, object.metadata)}?fieldManager=kubectl&force=true`;
  await send(kube, 'PATCH', path, object);
}

async function send(
  kube: KubeCall,
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  contentType = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json',
): Promise<void> {
  const answer = await kube({
    method,
    path,
    contentType,
    deadlineMs: DEADLINE_MS,
    ...(body ? { body } : {}),
  });
  if (answer.status < 300) return;
  const message = isRecord(answer.body) ? `${answer.body.message}` : `status ${answer.status}`;
  throw Object.assign(new Error(message), { statusCode: answer.status });
}
