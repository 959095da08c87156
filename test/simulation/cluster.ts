// The modelled cluster: a memory API server, what is stored in it right now for the oracles, and what users do to it.

import type { Clock } from '../../src/clock.ts';
import type { KubeCall, KubeObject, KubeResponse } from '../../src/kube/api.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { backupAdmission } from '../../src/local/backup-admission.ts';
import { rdsAdmission } from '../../src/local/rds-admission.ts';
import type { WatchEvent } from '../../src/local/watch.ts';
import { type FullSpec, fullSpec } from '../../src/rds/defaults.ts';
import type { Journal } from '../../src/rds/journal.ts';
import { ANNOTATIONS } from '../../src/rds/names.ts';
import type { RdsSpec } from '../../src/rds/spec.ts';
import type { RdsStatus } from '../../src/rds/status.ts';
import { DEMO_PROJECT, OTHER_PROJECT } from '../../src/simulator/demo-account.ts';
import { createObjectBook } from './object-book.ts';
import { OUR_NAMESPACE } from './replica.ts';

export { digitsOf } from './object-book.ts';
export const NAMESPACES = ['team-a', 'team-b'] as const;
export const CRD_NAME = 'rdss.otc.mcsps.de';
const BACKUP_CRD_NAME = 'rdsbackups.otc.mcsps.de';
const quickPath = /\/namespaces\/([^/]+)\/(rdss|rdsbackups|leases)\/([^/?]+)$/;
const quickKinds: Record<string, string> = { rdss: 'Rds', rdsbackups: 'RdsBackup', leases: 'Lease' };
const RDS_API = '/apis/otc.mcsps.de/v1alpha1';
export const BACKUPS_API = (namespace: string): string => `${RDS_API}/namespaces/${namespace}/rdsbackups`;

/** Nobody asks who set which field of these. */
const UNOWNED: ReadonlySet<string> = new Set(['Lease', 'Event', 'Pod']);

export type StoredJournal = { uid: string; version: string; journal: Journal };

export type Cluster = ReturnType<typeof createCluster>;

const filled = new WeakMap<object, FullSpec>();
/** Stored objects are frozen, so a spec is filled up once. */
export const specOf = (object: KubeObject): FullSpec => {
  const spec = object.spec as RdsSpec;
  const full = filled.get(spec) ?? fullSpec(spec);
  filled.set(spec, full);
  return full;
};
export const statusOf = (object: KubeObject): RdsStatus => (object.status ?? {}) as RdsStatus;
/** The account in which an Rds lives. */
export const projectOf = (object: KubeObject): string =>
  specOf(object).credentialsSecretRef ? OTHER_PROJECT.id : DEMO_PROJECT.id;
export const annotationOf = (object: KubeObject, key: string): string | undefined =>
  object.metadata.annotations?.[key];
export const keyOf = (object: KubeObject): string => `${object.metadata.namespace}/${object.metadata.name}`;

const read = new WeakMap<KubeObject, Journal>();
/** What a Lease holds, if it is a journal; read once for all oracles. */
export function journalIn(lease: KubeObject): Journal | undefined {
  const text = annotationOf(lease, ANNOTATIONS.journal);
  if (text === undefined) return undefined;
  const journal = read.get(lease) ?? (JSON.parse(text) as Journal);
  read.set(lease, journal);
  return journal;
}

export function createCluster(clock: Clock, uid: () => string) {
  const api = createApiServer({
    clock,
    uid,
    admission: { Rds: rdsAdmission, RdsBackup: backupAdmission },
    namespaces: [OUR_NAMESPACE, ...NAMESPACES],
    sharesAnswers: true,
    tellsOwners: ({ kind }, subresource) => subresource === undefined && !UNOWNED.has(kind),
  });
  const objects = new Map<string, KubeObject>();
  const rdss = createObjectBook(clock.now);
  const backups = createObjectBook(clock.now);
  const journals = new Map<string, StoredJournal>();
  const terminatingSince = new Map<string, number>();
  const listeners: ((event: WatchEvent) => void)[] = [];

  function noteLease({ type, object }: WatchEvent): void {
    const journal = journalIn(object);
    if (!journal) return;
    const id = object.metadata.name.slice('rds-'.length);
    if (type === 'DELETED') journals.delete(id);
    else {
      const version = object.metadata.resourceVersion ?? '';
      journals.set(id, { uid: id, version, journal });
    }
  }

  function noteGoing({ object }: WatchEvent): void {
    const name = `${object.kind}/${object.metadata.name}`;
    if (object.metadata.deletionTimestamp && !terminatingSince.has(name))
      terminatingSince.set(name, clock.now());
  }

  api.watch((event) => {
    const { kind, metadata } = event.object;
    const key = `${kind}/${metadata.namespace ?? ''}/${metadata.name}`;
    if (event.type === 'DELETED') objects.delete(key);
    else objects.set(key, event.object);
    // Oracles see the change before the books are updated, so that they can compare.
    for (const listener of listeners) listener(event);
    if (kind === 'Rds') rdss.note(event);
    if (kind === 'RdsBackup') backups.note(event);
    if (kind === 'Lease') noteLease(event);
    if (kind === 'Namespace' || kind === 'CustomResourceDefinition') noteGoing(event);
  });

  /** Stored objects are frozen, so a reader may have the original: much cheaper than a copy. */
  const quickCall: KubeCall = (request) => {
    const object = request.method === 'GET' ? objects.get(quickKey(request.path)) : undefined;
    return object ? Promise.resolve({ status: 200, body: object }) : api.call(request);
  };

  const quickKeys = new Map<string, string>();

  /** Where the object of this path is kept; empty for paths that are not looked up here. */
  function quickKey(path: string): string {
    const known = quickKeys.get(path);
    if (known !== undefined) return known;
    const found = quickPath.exec(path);
    const key = found ? `${quickKinds[found[2] ?? '']}/${found[1]}/${found[3]}` : '';
    quickKeys.set(path, key);
    return key;
  }

  async function call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<KubeResponse> {
    return api.call({ method, path, body, deadlineMs: 1_000, ...(contentType ? { contentType } : {}) });
  }

  const rdsPath = (namespace: string, name: string) => `${RDS_API}/namespaces/${namespace}/rdss/${name}`;
  const find = (kind: string, namespace: string, name: string) => objects.get(`${kind}/${namespace}/${name}`);

  const ofKind = (wanted: string): KubeObject[] =>
    [...objects.values()].filter(({ kind }) => kind === wanted);

  return {
    api,
    quickCall,
    onEvent: (listener: (event: WatchEvent) => void) => void listeners.push(listener),
    find,
    secretValue: (namespace: string, name: string, key: string) =>
      secretValue(find('Secret', namespace, name), key),
    secretsOf: (namespace: string, owner: string): KubeObject[] =>
      [...objects.values()].filter(
        ({ kind, metadata }) =>
          kind === 'Secret' &&
          metadata.namespace === namespace &&
          metadata.ownerReferences?.[0]?.uid === owner,
      ),
    findRds: (namespace: string, name: string) => find('Rds', namespace, name),
    rdsByUid: rdss.living,
    lastOf: rdss.lastOf,
    versionsOf: rdss.versionsOf,
    uids: rdss.uids,
    namespaces: () => ofKind('Namespace'),
    allRds: () => ofKind('Rds'),
    uidOfDigits: rdss.uidOfDigits,
    recent: rdss.recent,
    /** The same of backups as objects. */
    backups,
    allBackups: () => ofKind('RdsBackup'),
    journal: (id: string): StoredJournal | undefined => journals.get(id),
    journals: (): Iterable<StoredJournal> => journals.values(),
    /** Has the namespace or the CRD been going for longer than this? */
    isGoing: (kind: 'Namespace' | 'CustomResourceDefinition', name: string, forMs: number): boolean =>
      (terminatingSince.get(`${kind}/${name}`) ?? Number.POSITIVE_INFINITY) <= clock.now() - forMs,
    call,
    /** Only that it exists counts here; the whole schema would cost more than the schedule. */
    addNamespace: (name: string) =>
      call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
    async installCrds(): Promise<void> {
      for (const name of [CRD_NAME, BACKUP_CRD_NAME])
        await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name },
          spec: { group: 'otc.mcsps.de' },
        });
    },
    apply: (namespace: string, name: string, spec: RdsSpec, annotations?: Record<string, string>) =>
      call(
        'PATCH',
        `${rdsPath(namespace, name)}?fieldManager=kubectl&force=true`,
        {
          apiVersion: 'otc.mcsps.de/v1alpha1',
          kind: 'Rds',
          metadata: { name, namespace, ...(annotations ? { annotations } : {}) },
          spec,
        },
        'application/apply-patch+yaml',
      ),
    patch: (namespace: string, name: string, patch: unknown) =>
      call('PATCH', rdsPath(namespace, name), patch, 'application/merge-patch+json'),
    remove: (namespace: string, name: string, propagationPolicy?: string) =>
      call('DELETE', rdsPath(namespace, name), propagationPolicy ? { propagationPolicy } : undefined),
    secret: (namespace: string, name: string, values: Record<string, string>) =>
      call('POST', `/api/v1/namespaces/${namespace}/secrets`, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace },
        data: Object.fromEntries(
          Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
        ),
      }),
  };
}

export function secretValue(secret: KubeObject | undefined, key: string): string | undefined {
  const data = (secret?.data ?? {}) as Record<string, string>;
  const value = data[key];
  return value === undefined ? undefined : Buffer.from(value, 'base64').toString('utf8');
}
