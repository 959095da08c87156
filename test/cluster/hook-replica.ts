// A replica of the hook as a real process, configured by environment alone, as its pod would be.
import { join } from 'node:path';
import type { ControlPlane } from './control-plane.ts';
import { freePort } from './free-port.ts';
import { createNodeProcess } from './node-process.ts';
import type { Service } from './service.ts';

export const OPERATOR_NAMESPACE = 'rds-pilot';

export type HookReplica = Service & { port: number };

export type HookReplicaOptions = {
  controlPlane: ControlPlane;
  name: string;
  hookToken: string;
  /** Where the cloud is and who we are to it. */
  cloudEnv: Record<string, string>;
  env?: Record<string, string>;
  port?: number;
  root?: string;
  /** Another program with the same settings. */
  entry?: string;
  /** `/healthz` for a replica that is meant to be not ready. */
  readyPath?: '/readyz' | '/healthz';
};

/** The simulator's lag and late effects are known to be nil, so deletes need not wait for minutes. */
const TIMING = { OTC_LIST_LAG_SECONDS: '0', OTC_LATE_EFFECT_SECONDS: '0', ABSENCE_GAP_SECONDS: '1' };

export async function startHookReplica(options: HookReplicaOptions): Promise<HookReplica> {
  const { controlPlane, name, hookToken, cloudEnv } = options;
  const port = options.port ?? (await freePort());
  const service = createNodeProcess({
    name,
    entry: options.entry ?? 'src/server.ts',
    logFile: join(controlPlane.dir, `${name}.log`),
    readyUrl: `http://127.0.0.1:${port}${options.readyPath ?? '/readyz'}`,
    ...(options.root === undefined ? {} : { root: options.root }),
    env: {
      HOST: '127.0.0.1',
      PORT: `${port}`,
      KUBECONFIG: controlPlane.user('rds-pilot').kubeconfigPath,
      POD_NAMESPACE: OPERATOR_NAMESPACE,
      HOOK_TOKEN: hookToken,
      ...TIMING,
      ...cloudEnv,
      ...options.env,
    },
  });
  await service.start();
  return { ...service, port };
}
