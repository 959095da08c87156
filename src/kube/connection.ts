// Where the API server is and who we are to it: the service account in a cluster, or a kubeconfig.

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

export type KubeConnection = {
  url: string;
  ca: string | undefined;
  cert: string | undefined;
  key: string | undefined;
  /** Read anew for each call: projected tokens rotate. */
  token: () => string | undefined;
};

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

export function inClusterConnection(env: Record<string, string | undefined>): KubeConnection | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (!host) return undefined;
  return {
    url: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: readFileSync(`${SERVICE_ACCOUNT}/ca.crt`, 'utf8'),
    cert: undefined,
    key: undefined,
    token: () => readFileSync(`${SERVICE_ACCOUNT}/token`, 'utf8').trim(),
  };
}

type Named<Key extends string, Value> = { name: string } & Record<Key, Value>;
type Entry = Record<string, unknown>;
type Kubeconfig = {
  'current-context'?: string;
  contexts?: Named<'context', { cluster: string; user: string }>[];
  clusters?: Named<'cluster', Entry>[];
  users?: Named<'user', Entry>[];
};

export class KubeconfigError extends Error {}

export function kubeconfigConnection(path: string): KubeConnection {
  const config = readKubeconfig(path);
  const context = config.contexts?.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users?.find(({ name }) => name === context?.user)?.user;
  if (typeof cluster?.server !== 'string' || !user) {
    throw new KubeconfigError(`${path}: the current context names no cluster with a server, or no user`);
  }
  const way = ['exec', 'auth-provider', 'username'].find((key) => user[key] !== undefined);
  if (way !== undefined) {
    throw new KubeconfigError(
      `${path}: user ${context?.user} logs in by ${way}, which is not supported; use a token or a certificate`,
    );
  }
  // Relative files are meant from the folder of the kubeconfig, as kubectl reads them.
  const file = (name: unknown): string | undefined => {
    if (typeof name !== 'string') return undefined;
    try {
      return readFileSync(resolve(dirname(path), name), 'utf8');
    } catch {
      throw new KubeconfigError(`${path}: the file ${name} cannot be read`);
    }
  };
  const pem = (entry: Entry, name: string): string | undefined => {
    const inline = entry[`${name}-data`];
    return typeof inline === 'string' ? Buffer.from(inline, 'base64').toString('utf8') : file(entry[name]);
  };
  const { token, tokenFile } = user;
  return {
    url: cluster.server.replace(/\/+$/, ''),
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
    token: () => (typeof token === 'string' ? token : file(tokenFile)?.trim()),
  };
}

function readKubeconfig(path: string): Kubeconfig {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new KubeconfigError(`${path}: the kubeconfig cannot be read`);
  }
  try {
    const config: unknown = parse(text);
    if (typeof config === 'object' && config !== null) return config;
  } catch {
    // told below
  }
  throw new KubeconfigError(`${path}: this is not a kubeconfig`);
}
