// The total list of children. What is left out is deleted by Metacontroller, so a child whose inputs are not
// known in this call is repeated as it was observed: children never shrink because something failed.

import { canNameService, connectionSecretName, rootSecretName, serviceName } from '../../rds/names.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { DatabasesPlan } from '../decide/databases-plan.ts';
import type { ChildObject, Observed } from '../decide/observed.ts';
import { databaseChildren } from './databases.ts';
import { drillChildren } from './drill.ts';
import { endpointSlice } from './endpoint-slice.ts';
import { logChildren } from './logs.ts';
import { connectionSecret, rootSecret } from './secrets.ts';
import { type Endpoint, service } from './service.ts';

const DB_USER: Record<string, string> = { SQLServer: 'rdsuser' };

export type ChildInputs = {
  /** The root password that clients may use now; undefined when it is not known. */
  password: string | undefined;
  /** Make the Secret with a newly drawn root password. */
  drawRoot: boolean;
  databases?: DatabasesPlan | undefined;
};

export function buildChildren(o: Observed, status: RdsStatus, inputs: ChildInputs): ChildObject[] {
  const { password, drawRoot } = inputs;
  const { name, namespace } = o.rds.metadata;
  const endpoint: Endpoint | undefined =
    status.ip !== undefined && status.port !== undefined
      ? { name, namespace, ip: status.ip, port: status.port }
      : undefined;
  const login =
    password === undefined
      ? undefined
      : { engine: o.spec.datastoretype, username: DB_USER[o.spec.datastoretype] ?? 'root', password };
  const named = canNameService(name) ? endpoint : undefined;
  const wanted = [
    { kind: 'Service', name: serviceName(name), made: named && service(named) },
    { kind: 'EndpointSlice', name: serviceName(name), made: named && endpointSlice(named) },
    {
      kind: 'Secret',
      name: connectionSecretName(name),
      made: endpoint && login && connectionSecret(endpoint, login),
    },
    {
      kind: 'Secret',
      name: rootSecretName(name),
      made: drawRoot ? rootSecret({ name, namespace }, o.draw) : undefined,
    },
  ];
  const again = (child: ChildObject) => observedAgain(o, child.kind, child.metadata.name);
  return wanted
    .map(({ kind, name: childName, made }) => made ?? observedAgain(o, kind, childName))
    .concat(
      databaseChildren(o, status, inputs.databases, endpoint, again),
      logChildren(o, again),
      drillChildren(o, again),
    )
    .filter((child) => child !== undefined)
    .filter((child) => !isTaken(o, child));
}

function isTaken(o: Observed, child: Pick<ChildObject, 'kind' | 'metadata'>): boolean {
  return o.foreign.some((other) => other.kind === child.kind && other.metadata.name === child.metadata.name);
}

/** Only the fields that are ours: repeating the whole observed object would claim what others wrote. */
const OURS: Record<string, readonly string[]> = {
  Service: ['spec'],
  EndpointSlice: ['addressType', 'endpoints', 'ports'],
  Secret: ['type', 'data', 'immutable'],
  Job: ['spec'],
};

function observedAgain(o: Observed, kind: string, name: string): ChildObject | undefined {
  const seen = o.children.find((child) => child.kind === kind && child.metadata.name === name);
  if (!seen) return undefined;
  const { labels = {}, annotations = {} } = seen.metadata;
  const ours = ([key]: [string, string]) => key.includes('otc.mcsps.de/');
  const kept = Object.fromEntries(Object.entries(annotations).filter(ours));
  const { 'controller-uid': _added, ...ownLabels } = labels;
  const repeated: ChildObject = {
    apiVersion: seen.apiVersion,
    kind,
    metadata: {
      name,
      namespace: o.rds.metadata.namespace,
      labels: ownLabels,
      ...(Object.keys(kept).length > 0 ? { annotations: kept } : {}),
    },
  };
  for (const field of (OURS[kind] ?? []).filter((one) => seen[one] !== undefined))
    repeated[field] = kind === 'Service' ? serviceSpec(seen) : kind === 'Job' ? jobSpec(seen) : seen[field];
  return repeated;
}

/** The API server fills a Service with defaults that are not ours to apply. */
function serviceSpec(seen: ChildObject): unknown {
  const spec = seen.spec as { ports?: unknown } | undefined;
  return { clusterIP: 'None', ports: spec?.ports ?? [] };
}

/** A Job is never changed, only listed; should it be gone, it must be possible to make it from this. */
function jobSpec(seen: ChildObject): unknown {
  const { selector: _made, template, ...spec } = (seen.spec ?? {}) as Record<string, unknown>;
  const { metadata, ...pod } = (template ?? {}) as { metadata?: { labels?: Record<string, string> } };
  const isOurs = ([key]: [string, string]) => key.includes('otc.mcsps.de/') || key.startsWith('app.');
  const labels = Object.fromEntries(Object.entries(metadata?.labels ?? {}).filter(isOurs));
  return { ...spec, template: { metadata: { labels }, ...pod } };
}
