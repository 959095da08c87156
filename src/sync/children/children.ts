// The total list of children. What is left out is deleted by Metacontroller, so a child whose inputs are not
// known in this call is repeated as it was observed: children never shrink because something failed.

import { canNameService, connectionSecretName, rootSecretName, serviceName } from '../../rds/names.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { ConnectionWish } from '../decide/connection.ts';
import type { DatabasesPlan } from '../decide/databases-plan.ts';
import type { ChildObject, Observed } from '../decide/observed.ts';
import { databaseChildren } from './databases.ts';
import { drillChildren } from './drill.ts';
import { endpointSlice } from './endpoint-slice.ts';
import { logChildren } from './logs.ts';
import { connectionSecret, rootSecret } from './secrets.ts';
import { type Endpoint, service } from './service.ts';
import { withShareMarks } from './share-marks.ts';
import type { UserSecretWish } from './user-secrets.ts';

export type ChildInputs = {
  /** The login that clients may use now; undefined when it is not known. */
  connection: ConnectionWish | undefined;
  /** Make the Secret with a newly drawn root password. */
  drawRoot: boolean;
  databases?: DatabasesPlan | undefined;
  /** Users' logins that took their turn. */
  logins: readonly UserSecretWish[];
};

export function buildChildren(o: Observed, status: RdsStatus, inputs: ChildInputs): ChildObject[] {
  const { drawRoot } = inputs;
  const { name, namespace } = o.rds.metadata;
  const endpoint: Endpoint | undefined =
    status.ip !== undefined && status.port !== undefined
      ? { name, namespace, ip: status.ip, port: status.port }
      : undefined;
  const named = canNameService(name) ? endpoint : undefined;
  const wanted = [
    { kind: 'Service', name: serviceName(name), made: named && service(named) },
    { kind: 'EndpointSlice', name: serviceName(name), made: named && endpointSlice(named) },
    {
      kind: 'Secret',
      name: connectionSecretName(name),
      made: endpoint && inputs.connection && connectionOf(endpoint, inputs.connection),
    },
    {
      kind: 'Secret',
      name: rootSecretName(name),
      made: drawRoot ? rootSecret({ name, namespace }, o.draw()) : undefined,
    },
  ];
  const again = (child: ChildObject) => observedAgain(o, child.kind, child.metadata.name);
  return wanted
    .map(({ kind, name: childName, made }) => made ?? observedAgain(o, kind, childName))
    .concat(
      databaseChildren(o, status, inputs.databases, endpoint, inputs.logins, again),
      logChildren(o, again),
      drillChildren(o, again),
    )
    .filter((child) => child !== undefined)
    .filter((child) => !isTaken(o, child))
    .map((child) => withShareMarks(o.rds, child));
}

function connectionOf(endpoint: Endpoint, { annotations, ...login }: ConnectionWish): ChildObject {
  const made = connectionSecret(endpoint, login);
  return annotations ? { ...made, metadata: { ...made.metadata, annotations } } : made;
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
