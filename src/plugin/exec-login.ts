// Logins by a program that the kubeconfig names (`user.exec`): run as kubectl runs it, again when its token has expired.

import { spawnSync } from 'node:child_process';
import type { LogIn, Login } from '../kube/connection.ts';
import { type Entry, KubeconfigError } from '../kube/kubeconfig.ts';

type Env = Record<string, string | undefined>;
type Credential = { token?: string; cert?: string; key?: string; expiresAt: number };

export function createExecLogin(env: Env, isInteractive: boolean): LogIn {
  return (exec, cluster): Login => {
    let current = run(exec, cluster, env, isInteractive);
    return {
      cert: current.cert,
      key: current.key,
      token: () => {
        if (Date.now() >= current.expiresAt) current = run(exec, cluster, env, isInteractive);
        return current.token;
      },
    };
  };
}

function run(exec: Entry, cluster: Entry, env: Env, isInteractive: boolean): Credential {
  const { command, args = [], apiVersion = 'client.authentication.k8s.io/v1', installHint } = exec;
  if (typeof command !== 'string') throw new KubeconfigError('user.exec of the kubeconfig names no command');
  const extra = Array.isArray(exec.env) ? (exec.env as { name: string; value: string }[]) : [];
  const info = {
    apiVersion,
    kind: 'ExecCredential',
    spec: {
      interactive: isInteractive && exec.interactiveMode !== 'Never',
      ...(exec.provideClusterInfo === true ? { cluster: clusterInfo(cluster) } : {}),
    },
  };
  const { status, stdout, error } = spawnSync(command, args as string[], {
    encoding: 'utf8',
    stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    env: {
      ...env,
      ...Object.fromEntries(extra.map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify(info),
    },
  });
  if (error) {
    const hint = typeof installHint === 'string' ? ` ${installHint.trim()}` : '';
    throw new KubeconfigError(`the login program ${command} of the kubeconfig cannot be run.${hint}`);
  }
  if (status !== 0)
    throw new KubeconfigError(`the login program ${command} of the kubeconfig ended with ${status}`);
  return credentialOf(stdout, command);
}

function credentialOf(stdout: string, command: string): Credential {
  try {
    const { status } = JSON.parse(stdout) as { status: Record<string, string | undefined> };
    const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp: expires } = status;
    return {
      ...(token === undefined ? {} : { token }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      expiresAt: expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires),
    };
  } catch {
    // Its output may be a secret: not a word of it.
    throw new KubeconfigError(`the login program ${command} of the kubeconfig printed no ExecCredential`);
  }
}

function clusterInfo(cluster: Entry): Entry {
  const { server } = cluster;
  const ca = cluster['certificate-authority-data'];
  return { server, ...(ca === undefined ? {} : { 'certificate-authority-data': ca }) };
}
