// A real etcd, kube-apiserver and kube-controller-manager on loopback ports, in a temp folder that goes away
// with them. There is no scheduler and no kubelet: pod-runner.ts stands in for both.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { guardFolder } from '../../src/local/pods/orphan-guard.ts';
import { type Binaries, ensureBinaries } from './binaries.ts';
import { freePort } from './free-port.ts';
import type { Log } from './go-build.ts';
import { createKubeClient, type KubeClient } from './kube-client.ts';
import { kubeconfig } from './kubeconfig.ts';
import { createService, type Service } from './service.ts';

export type StaticUser = { name: string; groups?: string[] };
export type User = StaticUser & { token: string; kubeconfigPath: string };

export type ControlPlaneOptions = {
  /** Parent of the temp folder; the system's by default. */
  dir?: string;
  log?: Log;
  /** Known besides `admin` (may do all), `metacontroller`, `rds-pilot` and `viewer` (may do nothing yet). */
  users?: StaticUser[];
};

export type ControlPlane = {
  dir: string;
  url: string;
  /** PEM; it verifies `url`. */
  ca: string;
  caFile: string;
  /** The API server's own serving key pair, for helpers that speak TLS to it. */
  servingKeyFile: string;
  adminToken: string;
  kubeconfigPath: string;
  user: (name: string) => User;
  /** A client of that user (`admin` by default); closed by `stop`. */
  client: (user?: string) => KubeClient;
  clientWithToken: (token: string) => KubeClient;
  etcd: Service;
  apiServer: Service;
  controllerManager: Service;
  stop: () => Promise<void>;
};

const USERS: StaticUser[] = [
  { name: 'admin', groups: ['system:masters'] },
  { name: 'metacontroller' },
  { name: 'rds-pilot' },
  { name: 'viewer' },
];

const CONTROLLERS = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'job-controller',
  'namespace-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'ttl-after-finished-controller',
];

/** Short lives: memory is cheaper than collecting garbage. */
const GO = { GOGC: '400' };

const isOk = async (url: string): Promise<boolean> => {
  const { statusCode, body } = await request(url, { headersTimeout: 10_000 });
  await body.dump();
  return statusCode === 200;
};

function etcdService(dir: string, command: string, port: number): Service {
  const url = `http://127.0.0.1:${port}`;
  return createService({
    name: 'etcd',
    command,
    env: GO,
    logFile: join(dir, 'etcd.log'),
    isReady: () => isOk(`${url}/health`),
    args: [
      `--data-dir=${join(dir, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      '--listen-peer-urls=http://127.0.0.1:0',
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
  });
}

function apiServerService(
  dir: string,
  command: string,
  ports: { etcd: number; api: number },
  isReady: () => Promise<boolean>,
): Service {
  return createService({
    name: 'kube-apiserver',
    command,
    env: GO,
    logFile: join(dir, 'kube-apiserver.log'),
    isReady,
    args: [
      `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--secure-port=${ports.api}`,
      // It makes its own certificate there, with the CA behind it in the same file.
      `--cert-dir=${join(dir, 'certs')}`,
      `--token-auth-file=${join(dir, 'tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--anonymous-auth=false',
      '--service-cluster-ip-range=10.0.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${join(dir, 'service-account.key')}`,
      `--service-account-signing-key-file=${join(dir, 'service-account.key')}`,
      // Endpoints on loopback addresses are refused, so the server must not write its own.
      '--endpoint-reconciler-type=none',
      '--kubelet-preferred-address-types=InternalIP',
      '--enable-priority-and-fairness=false',
      '--profiling=false',
      '--shutdown-delay-duration=0s',
    ],
  });
}

function controllerManagerService(
  dir: string,
  command: string,
  kubeconfigPath: string,
  isReady: () => Promise<boolean>,
): Service {
  return createService({
    name: 'kube-controller-manager',
    command,
    env: GO,
    logFile: join(dir, 'kube-controller-manager.log'),
    isReady,
    args: [
      `--kubeconfig=${kubeconfigPath}`,
      `--controllers=${CONTROLLERS.join(',')}`,
      `--service-account-private-key-file=${join(dir, 'service-account.key')}`,
      `--root-ca-file=${join(dir, 'certs', 'apiserver.crt')}`,
      '--leader-elect=false',
      '--secure-port=0',
      '--kube-api-qps=200',
      '--kube-api-burst=400',
    ],
  });
}

async function writeSecrets(dir: string, users: User[]): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await mkdir(join(dir, 'certs'));
  await writeFile(join(dir, 'service-account.key'), privateKey, { mode: 0o600 });
  const rows = users.map(
    ({ token, name, groups = [] }) => `${token},${name},${name},"${groups.join(',')}"\n`,
  );
  await writeFile(join(dir, 'tokens.csv'), rows.join(''), { mode: 0o600 });
}

async function startOnce(binaries: Binaries, options: ControlPlaneOptions): Promise<ControlPlane> {
  const log = options.log ?? (() => {});
  const dir = await mkdtemp(join(options.dir ?? tmpdir(), 'rds-pilot-cluster-'));
  const releaseFolder = guardFolder(dir);
  const users = [...USERS, ...(options.users ?? [])].map((user) => ({
    ...user,
    token: randomBytes(24).toString('hex'),
    kubeconfigPath: join(dir, `${user.name.replaceAll(':', '_')}.kubeconfig`),
  }));
  const user = (name: string): User => {
    const found = users.find((candidate) => candidate.name === name);
    if (!found) throw new Error(`the control plane has no user ${name}`);
    return found;
  };
  await writeSecrets(dir, users);

  const ports = { etcd: await freePort(), api: await freePort() };
  const url = `https://127.0.0.1:${ports.api}`;
  const caFile = join(dir, 'certs', 'apiserver.crt');
  const admin = user('admin');
  const clients: KubeClient[] = [];
  let ca = '';
  const clientWithToken = (token: string): KubeClient => {
    const client = createKubeClient({ url, ca, token });
    clients.push(client);
    return client;
  };

  let probe: KubeClient | undefined;
  const etcd = etcdService(dir, binaries.etcd, ports.etcd);
  const apiServer = apiServerService(dir, binaries.apiServer, ports, async () => {
    // The file is there, and empty, a moment before its content.
    ca ||= await readFile(caFile, 'utf8');
    if (!ca) return false;
    probe ??= clientWithToken(admin.token);
    return (await probe.send('GET', '/readyz')).status === 200;
  });
  const controllerManager = controllerManagerService(
    dir,
    binaries.controllerManager,
    admin.kubeconfigPath,
    async () => Boolean(await probe?.find('/api/v1/namespaces/default/serviceaccounts/default')),
  );

  const stop = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.close()));
    await controllerManager.stop(2000);
    // An API server that has lost its etcd hangs for minutes.
    await apiServer.stop(2000);
    await etcd.stop(2000);
    await rm(dir, { recursive: true, force: true });
    releaseFolder();
  };

  const began = Date.now();
  try {
    await etcd.start();
    await apiServer.start();
    for (const { name, token, kubeconfigPath } of users) {
      await writeFile(kubeconfigPath, kubeconfig({ url, ca, user: name, token }), { mode: 0o600 });
    }
    await controllerManager.start();
  } catch (error) {
    await stop();
    throw error;
  }
  log(`control plane ready in ${Date.now() - began} ms: KUBECONFIG=${admin.kubeconfigPath}`);

  return {
    dir,
    url,
    ca,
    caFile,
    servingKeyFile: join(dir, 'certs', 'apiserver.key'),
    adminToken: admin.token,
    kubeconfigPath: admin.kubeconfigPath,
    user,
    client: (name = 'admin') => clientWithToken(user(name).token),
    clientWithToken,
    etcd,
    apiServer,
    controllerManager,
    stop,
  };
}

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = await ensureBinaries(options.log);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(binaries, options);
    } catch (error) {
      // Somebody took the port between our look and the start.
      if (attempt === 3 || !String(error).includes('address already in use')) throw error;
    }
  }
}
