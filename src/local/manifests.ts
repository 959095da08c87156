// A folder of YAML as the user's side of the cluster: what is saved there is applied, like `kubectl apply`.

import { watch } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Clock } from '../clock.ts';
import type { KubeCall, KubeRequest } from '../kube/api.ts';
import { isRecord } from './json.ts';
import { type Manifest, type ManifestProblem, type ParsedFile, parseManifests } from './manifest-files.ts';
import { collectionPath, knownResources, objectPath, type Resource } from './resources.ts';

export type ManifestsOptions = {
  folder: string;
  kube: KubeCall;
  clock: Clock;
  resources?: readonly Resource[];
  /** Delete what was applied from here and is no longer in the folder. */
  prune?: boolean;
  onProblem: (problem: ManifestProblem) => void;
  onApplied?: (manifest: Manifest) => void;
};

export type Manifests = {
  /** One pass over the folder: applies what is new or changed since the last pass. */
  apply(): Promise<void>;
  /** A pass now and after each change in the folder; resolves when the signal aborts. */
  follow(signal: AbortSignal): Promise<void>;
};

const quietMs = 100;
const firstKinds = ['Namespace', 'CustomResourceDefinition', 'Secret', 'ConfigMap'];

const rank = ({ resource }: Manifest): number => {
  const index = firstKinds.indexOf(resource.kind);
  return index < 0 ? firstKinds.length : index;
};

export const createManifests = (options: ManifestsOptions): Manifests => {
  const resources = options.resources ?? knownResources;
  const applied = new Map<string, { text: string; manifest: Manifest }>();
  const namespaces = resources.find((one) => one.kind === 'Namespace');

  const send = async (request: Omit<KubeRequest, 'deadlineMs'>): Promise<void> => {
    const { status, body } = await options.kube({ ...request, deadlineMs: 10_000 });
    if (status < 300) return;
    throw new Error(isRecord(body) && typeof body.message === 'string' ? body.message : `status ${status}`);
  };

  const ensureNamespace = async (name: string): Promise<void> => {
    if (!namespaces) return;
    const path = objectPath(namespaces, { name });
    if ((await options.kube({ method: 'GET', path, deadlineMs: 10_000 })).status === 200) return;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await send({ method: 'POST', path: `${collectionPath(namespaces)}?fieldManager=kubectl`, body });
  };

  const applyOne = async (manifest: Manifest): Promise<void> => {
    const { resource, object, file, line } = manifest;
    const path = objectPath(resource, object.metadata);
    const text = JSON.stringify(object);
    // Unchanged files say nothing new: what was deleted by hand stays deleted.
    if (applied.get(path)?.text === text) return;
    try {
      if (object.metadata.namespace) await ensureNamespace(object.metadata.namespace);
      await send({
        method: 'PATCH',
        path: `${path}?fieldManager=kubectl&force=true`,
        contentType: 'application/apply-patch+yaml',
        body: object,
      });
      applied.set(path, { text, manifest });
      options.onApplied?.(manifest);
    } catch (error) {
      options.onProblem({ file, line, reason: error instanceof Error ? error.message : String(error) });
    }
  };

  const prune = async (wanted: ReadonlySet<string>): Promise<void> => {
    for (const [path, { manifest }] of applied) {
      if (wanted.has(path)) continue;
      applied.delete(path);
      const { file, line } = manifest;
      await send({ method: 'DELETE', path }).catch((error) =>
        options.onProblem({ file, line, reason: error instanceof Error ? error.message : String(error) }),
      );
    }
  };

  const readFolder = async (): Promise<ParsedFile> => {
    const entries = await readdir(options.folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name) && !entry.name.startsWith('.'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const parsed = await Promise.all(files.map((file) => readOne(file)));
    return {
      manifests: parsed.flatMap((one) => one.manifests).sort((left, right) => rank(left) - rank(right)),
      problems: parsed.flatMap((one) => one.problems),
    };
  };

  const readOne = async (path: string): Promise<ParsedFile> => {
    const file = relative(options.folder, path);
    try {
      return parseManifests(file, await readFile(path, 'utf8'), resources);
    } catch (error) {
      return { manifests: [], problems: [{ file, line: 1, reason: String(error) }] };
    }
  };

  const apply = async (): Promise<void> => {
    const { manifests, problems } = await readFolder();
    for (const problem of problems) options.onProblem(problem);
    for (const manifest of manifests) await applyOne(manifest);
    // A broken file hides its objects; they are not gone for that.
    if (!options.prune || problems.length > 0) return;
    await prune(new Set(manifests.map(({ resource, object }) => objectPath(resource, object.metadata))));
  };

  return {
    apply,
    async follow(signal) {
      let isChanged = true;
      let wake = () => {};
      const notice = (): void => {
        isChanged = true;
        wake();
      };
      const nextChange = () =>
        new Promise<void>((resolve) => {
          wake = resolve;
        });
      const watcher = watch(options.folder, { recursive: true }, notice);
      signal.addEventListener('abort', notice);
      try {
        while (!signal.aborted) {
          isChanged = false;
          await apply();
          if (!isChanged) await nextChange();
          // Editors write in several steps.
          await options.clock.sleep(quietMs);
        }
      } finally {
        watcher.close();
      }
    },
  };
};
