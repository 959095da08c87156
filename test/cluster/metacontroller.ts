// The real Metacontroller from $METACONTROLLER_HOME, when there is one. It is on no registry, so its absence is
// normal; callers then use the local loop and print the notice.
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import type { KubeObject } from '../../src/kube/api.ts';
import type { ControlPlane } from './control-plane.ts';
import { freePort } from './free-port.ts';
import { createService, type Service } from './service.ts';
import { waitFor } from './wait-for.ts';

export type MetacontrollerHome = { home: string; notice?: undefined } | { home?: undefined; notice: string };

export type MetacontrollerOptions = {
  controlPlane: ControlPlane;
  home: string;
  user?: string;
  discoveryInterval?: string;
  workers?: number;
  /** Further flags, e.g. `--zap-log-level=4`; 5 and above print Secrets. */
  flags?: string[];
};

export type Metacontroller = Service & { metricsUrl: string };

const BINARY = 'metacontroller';
const CRDS = 'metacontroller-crds-v1.yaml';

export function metacontrollerHome(env: NodeJS.ProcessEnv = process.env): MetacontrollerHome {
  const home = env.METACONTROLLER_HOME;
  const instead = 'the local loop takes its place';
  if (!home) return { notice: `METACONTROLLER_HOME is not set: no real Metacontroller, ${instead}` };
  try {
    accessSync(join(home, BINARY), constants.X_OK);
    accessSync(join(home, CRDS), constants.R_OK);
    return { home };
  } catch {
    return {
      notice: `METACONTROLLER_HOME=${home} lacks ${BINARY} or ${CRDS}: no real Metacontroller, ${instead}`,
    };
  }
}

type Crd = KubeObject & {
  spec: { group: string; names: { plural: string }; versions: { name: string; served: boolean }[] };
  status?: { conditions?: { type: string; status: string }[] };
};

/** Applies CRDs and waits until the API server serves them: `Established` is said a moment earlier. */
export async function installCrds(controlPlane: ControlPlane, fileOrText: string): Promise<void> {
  const kube = controlPlane.client();
  for (const crd of (await kube.applyYaml(fileOrText)) as Crd[]) {
    if (crd.kind !== 'CustomResourceDefinition') continue;
    await kube.waitForObject<Crd>(await kube.pathOf(crd), 'Established', ({ status }) =>
      Boolean(
        status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True'),
      ),
    );
    const { group, names, versions } = crd.spec;
    for (const { name } of versions.filter(({ served }) => served)) {
      const path = `/apis/${group}/${name}`;
      await waitFor(`${names.plural} in ${path}`, async () =>
        JSON.stringify((await kube.send('GET', path)).body).includes(`"name":"${names.plural}"`),
      );
    }
  }
}

export async function startMetacontroller(options: MetacontrollerOptions): Promise<Metacontroller> {
  const {
    controlPlane,
    home,
    user = 'metacontroller',
    discoveryInterval = '3s',
    workers = 5,
    flags = [],
  } = options;
  await installCrds(controlPlane, join(home, CRDS));
  const metrics = `127.0.0.1:${await freePort()}`;
  const health = `127.0.0.1:${await freePort()}`;
  const service = createService({
    name: 'metacontroller',
    command: join(home, BINARY),
    logFile: join(controlPlane.dir, `metacontroller-${metrics.split(':')[1]}.log`),
    isReady: async () => {
      const { statusCode, body } = await request(`http://${health}/readyz`);
      await body.dump();
      return statusCode === 200;
    },
    args: [
      `--kubeconfig=${controlPlane.user(user).kubeconfigPath}`,
      `--metrics-address=${metrics}`,
      `--health-probe-bind-address=${health}`,
      `--discovery-interval=${discoveryInterval}`,
      `--workers=${workers}`,
      '--client-go-qps=200',
      '--client-go-burst=400',
      // The other strategy copies Secret data into an annotation.
      '--apply-strategy=server-side-apply',
      ...flags,
    ],
  });
  await service.start();
  return { ...service, metricsUrl: `http://${metrics}/metrics` };
}
