// Kubeconfig files as kubectl reads them: several may be named, the first that names something counts, and files
// that they name lie beside them.

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

export type Entry = Record<string, unknown>;
type Named<Key extends string, Value> = { name: string } & Record<Key, Value>;

export type Context = { cluster: string; user: string; namespace?: string };

export type Kubeconfig = {
  /** Where it was read, for complaints. */
  path: string;
  currentContext: string | undefined;
  contexts: Named<'context', Context>[];
  clusters: Named<'cluster', Entry>[];
  users: Named<'user', Entry>[];
};

export class KubeconfigError extends Error {}

/** Entries that hold the name of a file. */
const FILES = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'];

export function readKubeconfig(path: string): Kubeconfig {
  const read = parsedFile(path);
  const list = <T>(key: string): T[] => (Array.isArray(read[key]) ? (read[key] as T[]) : []);
  const beside = <Key extends 'cluster' | 'user'>(key: Key): Named<Key, Entry>[] =>
    list<Named<Key, Entry>>(`${key}s`).map((one) => ({ ...one, [key]: withFiles(one[key], dirname(path)) }));
  const current = read['current-context'];
  return {
    path,
    currentContext: typeof current === 'string' && current !== '' ? current : undefined,
    contexts: list('contexts'),
    clusters: beside('cluster'),
    users: beside('user'),
  };
}

/** One that is not there counts as empty, unless all are. */
export function readKubeconfigs(paths: readonly string[]): Kubeconfig {
  const read = paths.map((path) => {
    try {
      return readKubeconfig(path);
    } catch (error) {
      return error as Error;
    }
  });
  const found = read.filter((one): one is Kubeconfig => !(one instanceof Error));
  const broken = read.find((one) => one instanceof Error && !isAbsent(one));
  if (broken) throw broken;
  if (found.length === 0) throw read[0] ?? new KubeconfigError('no kubeconfig is named');
  return {
    path: found.map(({ path }) => path).join(':'),
    currentContext: found.find((one) => one.currentContext !== undefined)?.currentContext,
    contexts: found.flatMap(({ contexts }) => contexts),
    clusters: found.flatMap(({ clusters }) => clusters),
    users: found.flatMap(({ users }) => users),
  };
}

function isAbsent(error: unknown): boolean {
  return (
    error instanceof KubeconfigError && (error.cause as { code?: unknown } | undefined)?.code === 'ENOENT'
  );
}

function withFiles(entry: Entry | undefined, folder: string): Entry {
  const copy: Entry = { ...entry };
  for (const key of FILES) {
    const file = copy[key];
    if (typeof file === 'string') copy[key] = resolve(folder, file);
  }
  return copy;
}

function parsedFile(path: string): Entry {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new KubeconfigError(`${path}: the kubeconfig cannot be read`, { cause });
  }
  try {
    const config: unknown = parse(text);
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) return config as Entry;
  } catch {
    // told below
  }
  throw new KubeconfigError(`${path}: this is not a kubeconfig`);
}
