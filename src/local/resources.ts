// The kinds that the local API server serves and the loop can name: the discovery document, so to say.

/** How a list is merged and owned. A list without a rule is atomic. */
export type ListRule = { keys: readonly string[]; atomicItems?: boolean } | 'set';

export type Resource = {
  group: string;
  version: string;
  plural: string;
  kind: string;
  namespaced: boolean;
  hasStatus: boolean;
  /** Secrets, Services and some others are stored without a generation. */
  hasGeneration: boolean;
  /** A PUT without resourceVersion is accepted. */
  unconditionalUpdate: boolean;
  lists: Readonly<Record<string, ListRule>>;
};

/** What a controller manifest says about a kind. */
export type ResourceRef = { apiVersion: string; resource: string };

type Traits = Partial<Pick<Resource, 'namespaced' | 'hasStatus' | 'hasGeneration' | 'lists'>>;

const everyObject: Record<string, ListRule> = {
  'metadata.finalizers': 'set',
  'metadata.ownerReferences': { keys: ['uid'], atomicItems: true },
};

const podLists = (prefix: string): Record<string, ListRule> => ({
  [`${prefix}containers`]: { keys: ['name'] },
  [`${prefix}containers.env`]: { keys: ['name'] },
  [`${prefix}containers.volumeMounts`]: { keys: ['mountPath'] },
  [`${prefix}volumes`]: { keys: ['name'] },
});

const defineResource = (apiVersion: string, plural: string, kind: string, traits: Traits = {}): Resource => {
  const [group, version] = splitApiVersion(apiVersion);
  return {
    group,
    version,
    plural,
    kind,
    namespaced: traits.namespaced ?? true,
    hasStatus: traits.hasStatus ?? false,
    hasGeneration: traits.hasGeneration ?? true,
    unconditionalUpdate: group === '' || group === 'batch' || group === 'discovery.k8s.io',
    lists: { ...everyObject, ...traits.lists },
  };
};

export const splitApiVersion = (apiVersion: string): [group: string, version: string] => {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
};

/** One string per kind, made once: it is asked for at every step of every sync. */
const perResource = (make: (resource: Resource) => string): ((resource: Resource) => string) => {
  const made = new WeakMap<Resource, string>();
  return (resource) => {
    const known = made.get(resource);
    if (known !== undefined) return known;
    const text = make(resource);
    made.set(resource, text);
    return text;
  };
};

export const apiVersionOf = perResource(({ group, version }) =>
  group === '' ? version : `${group}/${version}`,
);

/** Outer key of the maps in hook bodies. */
export const groupKey = perResource((resource) => `${resource.kind}.${apiVersionOf(resource)}`);

/** Metacontroller walks its kinds in this order. */
export const sortKey = perResource(({ group, version, kind }) => JSON.stringify([group, version, kind]));

const plain: Traits = { hasGeneration: false };

export const knownResources: readonly Resource[] = [
  defineResource('otc.mcsps.de/v1alpha1', 'rdss', 'Rds', { hasStatus: true }),
  defineResource('otc.mcsps.de/v1alpha1', 'rdsbackups', 'RdsBackup', { hasStatus: true }),
  defineResource('v1', 'secrets', 'Secret', plain),
  defineResource('v1', 'configmaps', 'ConfigMap', plain),
  defineResource('v1', 'events', 'Event', plain),
  defineResource('v1', 'endpoints', 'Endpoints', plain),
  defineResource('v1', 'serviceaccounts', 'ServiceAccount', plain),
  defineResource('v1', 'endpoints', 'Endpoints', plain),
  defineResource('v1', 'services', 'Service', {
    ...plain,
    hasStatus: true,
    lists: { 'spec.ports': { keys: ['port', 'protocol'] } },
  }),
  defineResource('v1', 'pods', 'Pod', { hasStatus: true, lists: podLists('spec.') }),
  defineResource('v1', 'namespaces', 'Namespace', { ...plain, namespaced: false, hasStatus: true }),
  defineResource('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice'),
  defineResource('batch/v1', 'jobs', 'Job', { hasStatus: true, lists: podLists('spec.template.spec.') }),
  defineResource('coordination.k8s.io/v1', 'leases', 'Lease', plain),
  defineResource('apiextensions.k8s.io/v1', 'customresourcedefinitions', 'CustomResourceDefinition', {
    namespaced: false,
    hasStatus: true,
  }),
  defineResource('metacontroller.k8s.io/v1alpha1', 'compositecontrollers', 'CompositeController', {
    namespaced: false,
  }),
  defineResource('metacontroller.k8s.io/v1alpha1', 'decoratorcontrollers', 'DecoratorController', {
    namespaced: false,
  }),
];

export const findByRef = (resources: readonly Resource[], ref: ResourceRef): Resource | undefined =>
  resources.find((one) => one.plural === ref.resource && apiVersionOf(one) === ref.apiVersion);

export const findByKind = (
  resources: readonly Resource[],
  object: { apiVersion: string; kind: string },
): Resource | undefined =>
  resources.find((one) => one.kind === object.kind && apiVersionOf(one) === object.apiVersion);

const rootPath = perResource((resource) =>
  resource.group === '' ? `/api/${resource.version}` : `/apis/${apiVersionOf(resource)}`,
);

export const collectionPath = (resource: Resource, namespace?: string): string => {
  const root = rootPath(resource);
  const scope = resource.namespaced && namespace ? `/namespaces/${namespace}` : '';
  return `${root}${scope}/${resource.plural}`;
};

export const objectPath = (
  resource: Resource,
  metadata: { namespace?: string | undefined; name: string },
): string => `${collectionPath(resource, metadata.namespace)}/${metadata.name}`;
