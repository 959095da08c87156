// The envelope of a hook call: strict about what we read, blind to the rest. A malformed one is a 400 that
// names the field; the spec inside is judged later, where the user can see it.

import Type, { type Static } from 'typebox';
import { isoTime } from '../rds/conditions.ts';

import type { Rds } from '../rds/object.ts';
import { pruned } from '../rds/prune.ts';
import type { RdsSpec } from '../rds/spec.ts';
import { type RdsStatus, RdsStatusSchema } from '../rds/status.ts';
import { type Problem, statusProblems } from '../rds/validate.ts';
import type { ChildObject, Observed, Unseen } from './decide/observed.ts';

const StringMap = Type.Record(Type.String(), Type.String());

const ParentSchema = Type.Object({
  metadata: Type.Object({
    name: Type.String({ minLength: 1 }),
    namespace: Type.String({ minLength: 1 }),
    uid: Type.String({ minLength: 12 }),
    generation: Type.Optional(Type.Integer()),
    resourceVersion: Type.Optional(Type.String()),
    creationTimestamp: Type.Optional(Type.String()),
    deletionTimestamp: Type.Optional(Type.String()),
    annotations: Type.Optional(StringMap),
    managedFields: Type.Optional(Type.Array(Type.Object({}))),
  }),
  spec: Type.Optional(Type.Object({})),
  status: Type.Optional(Type.Object({})),
});

/** Kind -> name (v1) or namespace/name (v2) -> object. */
export const ObjectsSchema = Type.Record(
  Type.String(),
  Type.Record(
    Type.String(),
    Type.Object({
      apiVersion: Type.Optional(Type.String()),
      kind: Type.Optional(Type.String()),
      metadata: Type.Object({ name: Type.String() }),
    }),
  ),
);

export const HookRequestSchema = Type.Object({
  controller: Type.Optional(Type.Object({})),
  parent: ParentSchema,
  children: ObjectsSchema,
  related: Type.Optional(Type.Union([ObjectsSchema, Type.Null()])),
  finalizing: Type.Boolean(),
});

export const CustomizeRequestSchema = Type.Object({
  controller: Type.Optional(Type.Object({})),
  parent: ParentSchema,
});

export type HookRequest = Static<typeof HookRequestSchema>;
export type CustomizeRequest = Static<typeof CustomizeRequestSchema>;

/** The same request as the loop reads it. */
export type View = {
  rds: Rds;
  /** An object stored under a looser CRD may have none: it can be finalized, never created. */
  hasSpec: boolean;
  /** Fields of status that a newer version wrote: handed back untouched, since status is replaced as a whole. */
  newerStatus: Record<string, unknown>;
  children: ChildObject[];
  related: ChildObject[];
  /** Asked of the API server for this call. */
  sqlJobEnd?: Observed['sqlJobEnd'];
  drillJobEnd?: Observed['drillJobEnd'];
  /** What was made of all this, by the first who asked. */
  unseen?: Unseen;
};

export function readParent(parent: HookRequest['parent'], nowMs: number): Rds {
  const { metadata } = parent;
  return {
    metadata: {
      ...metadata,
      generation: metadata.generation ?? 1,
      resourceVersion: metadata.resourceVersion ?? '',
      creationTimestamp: metadata.creationTimestamp ?? isoTime(nowMs),
    },
    spec: (parent.spec ?? {}) as RdsSpec,
    ...(parent.status === undefined ? {} : { status: readStatus(parent.status) }),
  } as Rds;
}

/** Told by people or remembered from call to call: a wrong type there is an error, not something to drop. */
const REMEMBERED = new Set(['id', 'handled', 'reboot', 'logs']);

const topField = ({ field }: Problem) => field.split('.')[1] ?? '';

/** This version could have written it. */
const isFitting = (status: object): boolean => statusProblems(status).length === 0;

/** Values that only a newer version knows are left out: every call builds them anew. */
function readStatus(status: object): unknown {
  if (isFitting(status)) return status;
  const known = pruned(status, RdsStatusSchema) as Record<string, unknown>;
  const isKept = (name: string) =>
    REMEMBERED.has(name) || (name === 'conditions' && !Array.isArray(known.conditions));
  const unfit = statusProblems(known)
    .map(topField)
    .filter((name) => !isKept(name));
  return Object.fromEntries(Object.entries(known).filter(([name]) => !unfit.includes(name)));
}

export function unreadableStatus(status: RdsStatus | undefined): Problem | undefined {
  return statusProblems(status ?? {}).at(0);
}

export function readView(request: HookRequest, nowMs: number): View {
  return {
    rds: readParent(request.parent, nowMs),
    hasSpec: request.parent.spec !== undefined,
    newerStatus: newerFields(request.parent.status ?? {}),
    children: listed(request.children),
    related: listed(request.related ?? {}),
  };
}

/** A status that fits has none. */
function newerFields(status: object): Record<string, unknown> {
  if (isFitting(status)) return {};
  const isNewer = ([name]: [string, unknown]) => !(name in RdsStatusSchema.properties);
  return Object.fromEntries(Object.entries(status).filter(isNewer));
}

/** Outer keys are `Kind.version` or `Kind.group/version`; objects from a cache may lack their own kind. */
export function listed(objects: NonNullable<HookRequest['related']>): ChildObject[] {
  const list: ChildObject[] = [];
  for (const [key, byName] of Object.entries(objects)) {
    const dot = key.indexOf('.');
    const kind = dot < 0 ? key : key.slice(0, dot);
    const apiVersion = dot < 0 ? 'v1' : key.slice(dot + 1);
    for (const object of Object.values(byName ?? {}))
      list.push(
        object.kind === undefined || object.apiVersion === undefined
          ? ({ apiVersion, kind, ...object } as ChildObject)
          : (object as ChildObject),
      );
  }
  return list;
}
