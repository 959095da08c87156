// The manifest of a controller, read and checked: what the loop has to do for which kinds. A DecoratorController is
// read into the same form: what it decorates takes the place of parents, its attachments that of children.

import type { KubeObject } from '../kube/api.ts';
import { isRecord, type JsonRecord } from './json.ts';
import { findByRef, type Resource, type ResourceRef } from './resources.ts';
import { asLabelSelector, type LabelSelector } from './selectors.ts';

export type Hook = { path: string; timeoutMs: number };
export type ChildKind = { ref: ResourceRef; resource: Resource; method: 'OnDelete' | 'InPlace' };

export type CompositeController = {
  /** As it goes into hook bodies. */
  manifest: KubeObject;
  name: string;
  finalizer: string;
  parentRef: ResourceRef;
  parent: Resource;
  selector: LabelSelector | undefined;
  ignoreStatusChanges: boolean;
  children: ChildKind[];
  resyncPeriodSeconds: number | undefined;
  generateSelector: boolean;
  sync: Hook;
  finalize: Hook | undefined;
  customize: Hook | undefined;
  /** A DecoratorController: its objects belong to somebody else. */
  decorates: boolean;
};

const refuse = (manifest: KubeObject, why: string): never => {
  throw new Error(`${manifest.kind} ${manifest.metadata.name}: ${why}`);
};

const section = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

export const readCompositeController = (
  given: KubeObject,
  resources: readonly Resource[],
): CompositeController => {
  const manifest = withServerDefaults(given);
  const spec = section(manifest.spec);
  const hooks = section(spec.hooks);
  const decorates = manifest.kind === 'DecoratorController';
  const parentSpec = decorates ? onlyResource(manifest, spec.resources) : section(spec.parentResource);
  const known = (ref: ResourceRef): Resource =>
    findByRef(resources, ref) ?? refuse(manifest, `unknown resource ${ref.apiVersion}/${ref.resource}`);
  const hook = (name: string): Hook | undefined =>
    isRecord(hooks[name]) ? readHook(manifest, name, hooks[name]) : undefined;
  const parentRef = readRef(parentSpec);
  const listed = decorates ? spec.attachments : spec.childResources;
  const children = Array.isArray(listed) ? listed.map(section) : [];
  const name = manifest.metadata.name;
  return {
    manifest,
    name,
    finalizer: `metacontroller.io/${decorates ? 'decorator' : 'composite'}controller-${name}`,
    parentRef,
    parent: known(parentRef),
    selector: asLabelSelector(parentSpec.labelSelector),
    ignoreStatusChanges: parentSpec.ignoreStatusChanges === true,
    children: children.map((one) => ({
      ref: readRef(one),
      resource: known(readRef(one)),
      method: readMethod(manifest, section(one.updateStrategy).method),
    })),
    resyncPeriodSeconds:
      typeof spec.resyncPeriodSeconds === 'number' ? Math.max(1, spec.resyncPeriodSeconds) : undefined,
    generateSelector: spec.generateSelector === true,
    sync: hook('sync') ?? refuse(manifest, 'no sync hook defined'),
    finalize: hook('finalize'),
    customize: hook('customize'),
    decorates,
  };
};

const onlyResource = (manifest: KubeObject, resources: unknown): JsonRecord => {
  const [first, ...others] = Array.isArray(resources) ? resources.map(section) : [];
  if (!first || others.length > 0) return refuse(manifest, 'the local loop decorates exactly one kind');
  if (first.annotationSelector) refuse(manifest, 'annotationSelector is not modelled by the local loop');
  return first;
};

const readRef = (value: JsonRecord): ResourceRef => ({
  apiVersion: String(value.apiVersion),
  resource: String(value.resource),
});

const readMethod = (manifest: KubeObject, method: unknown): 'OnDelete' | 'InPlace' => {
  if (method === undefined || method === 'OnDelete') return 'OnDelete';
  if (method === 'InPlace') return 'InPlace';
  return refuse(manifest, `update method ${method} is not modelled by the local loop`);
};

const readHook = (manifest: KubeObject, name: string, hook: JsonRecord): Hook => {
  if (hook.version !== 'v2') refuse(manifest, `hook ${name} is not version v2`);
  const webhook = section(hook.webhook);
  const path =
    typeof webhook.url === 'string' ? new URL(webhook.url).pathname : String(webhook.path ?? `/${name}`);
  return { path, timeoutMs: parseDuration(webhook.timeout) };
};

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A Go duration such as `30s` or `1m30s`; ten seconds when absent or not positive. */
const parseDuration = (text: unknown): number => {
  let total = 0;
  for (const [, amount, unit] of String(text ?? '').matchAll(/([\d.]+)(ms|s|m|h)/g)) {
    total += Number(amount) * (unitMs[unit ?? ''] ?? 0);
  }
  return total > 0 ? total : 10_000;
};

/** The real one is decoded into Go types, which shows: empty `status` and `statusChecks` appear. */
const withServerDefaults = (given: KubeObject): KubeObject => {
  const spec = section(given.spec);
  const children = Array.isArray(spec.childResources) ? spec.childResources.map(section) : undefined;
  const childResources = children?.map((one) =>
    isRecord(one.updateStrategy)
      ? {
          ...one,
          updateStrategy: { ...one.updateStrategy, statusChecks: section(one.updateStrategy.statusChecks) },
        }
      : one,
  );
  return {
    ...given,
    spec: { ...spec, ...(childResources ? { childResources } : {}) },
    status: section(given.status),
  };
};
