// Where the API server is and who we are to it: the service account in a cluster, or a kubeconfig.

import { readFileSync } from 'node:fs';
import { type Context, type Entry, type Kubeconfig, KubeconfigError, readKubeconfig } from './kubeconfig.ts';

export type KubeConnection = {
  url: string;
  ca: string | undefined;
  cert: string | undefined;
  key: string | undefined;
  /** Read anew for each call: projected tokens rotate. */
  token: () => string | undefined;
  /** The name in the certificate, where it is not that of the address. */
  serverName?: string;
  /** The kubeconfig says that the certificate is not to be checked. */
  isUnverified?: true;
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

/** What a program named in `user.exec` hands out. */
export type Login = { token: () => string | undefined; cert?: string | undefined; key?: string | undefined };
/** Runs it; only a person's tools do, the operator has a login of its own. */
export type LogIn = (exec: Entry, cluster: Entry) => Login;

export function kubeconfigConnection(path: string): KubeConnection {
  return contextConnection(readKubeconfig(path)).connection;
}

/** Ways to log in, and to connect, that would be left out silently. */
const UNSUPPORTED = ['exec', 'auth-provider', 'username', 'as'];

export function contextConnection(
  config: Kubeconfig,
  wanted: { context?: string | undefined; logIn?: LogIn } = {},
): { connection: KubeConnection; context: Context & { name: string } } {
  const { path } = config;
  const name = wanted.context ?? config.currentContext ?? '';
  const context = config.contexts.find((one) => one.name === name)?.context;
  const cluster = config.clusters.find((one) => one.name === context?.cluster)?.cluster;
  const user = config.users.find((one) => one.name === context?.user)?.user;
  if (wanted.context !== undefined && !context) {
    const known = config.contexts.map((one) => one.name).join(', ');
    throw new KubeconfigError(`${path}: there is no context ${name}; there are ${known || 'none'}`);
  }
  if (!context || typeof cluster?.server !== 'string' || !user) {
    throw new KubeconfigError(`${path}: the current context names no cluster with a server, or no user`);
  }
  const logIn = user.exec === undefined ? undefined : wanted.logIn;
  const way = UNSUPPORTED.find((key) => user[key] !== undefined && !(key === 'exec' && logIn));
  if (way !== undefined) {
    throw new KubeconfigError(
      `${path}: user ${context.user} logs in by ${way}, which is not supported; use a token or a certificate`,
    );
  }
  if (cluster['proxy-url'] !== undefined)
    throw new KubeconfigError(
      `${path}: cluster ${context.cluster} is behind proxy-url, which is not supported`,
    );
  const file = (entry: unknown): string | undefined => {
    if (typeof entry !== 'string') return undefined;
    try {
      return readFileSync(entry, 'utf8');
    } catch {
      throw new KubeconfigError(`${path}: the file ${entry} cannot be read`);
    }
  };
  const pem = (entry: Entry, key: string): string | undefined => {
    const inline = entry[`${key}-data`];
    return typeof inline === 'string' ? Buffer.from(inline, 'base64').toString('utf8') : file(entry[key]);
  };
  const { token, tokenFile } = user;
  const login = logIn?.(user.exec as Entry, cluster);
  const connection: KubeConnection = {
    url: cluster.server.replace(/\/+$/, ''),
    ca: pem(cluster, 'certificate-authority'),
    cert: login?.cert ?? pem(user, 'client-certificate'),
    key: login?.key ?? pem(user, 'client-key'),
    token: login?.token ?? (() => (typeof token === 'string' ? token : file(tokenFile)?.trim())),
    ...(typeof cluster['tls-server-name'] === 'string' ? { serverName: cluster['tls-server-name'] } : {}),
    ...(cluster['insecure-skip-tls-verify'] === true ? { isUnverified: true } : {}),
  };
  return { connection, context: { name, ...context } };
}
