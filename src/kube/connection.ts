// Where the API server is and who we are to it: the service account in a cluster, or a kubeconfig.

import { readFileSync } from 'node:fs';
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
type Kubeconfig = {
  'current-context'?: string;
  contexts?: Named<'context', { cluster: string; user: string }>[];
  clusters?: Named<'cluster', Record<string, string>>[];
  users?: Named<'user', Record<string, string>>[];
};

export function kubeconfigConnection(path: string): KubeConnection {
  const config = parse(readFileSync(path, 'utf8')) as Kubeconfig;
  const context = config.contexts?.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters?.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users?.find(({ name }) => name === context?.user)?.user;
  if (!cluster?.server || !user) {
    throw new Error(`${path}: the current context names no cluster with a server, or no user`);
  }
  const pem = (entry: Record<string, string>, name: string): string | undefined => {
    const inline = entry[`${name}-data`];
    if (inline !== undefined) return Buffer.from(inline, 'base64').toString('utf8');
    return entry[name] === undefined ? undefined : readFileSync(entry[name], 'utf8');
  };
  const { token } = user;
  return {
    url: cluster.server,
    ca: pem(cluster, 'certificate-authority'),
    cert: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
    token: () => token,
  };
}
