// The local loop in a process of its own, as an engine.
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine, EngineOptions } from '../cluster/engine.ts';
import { freePort } from '../cluster/free-port.ts';
import { CHECKOUT, createNodeProcess } from '../cluster/node-process.ts';
import type { Service } from '../cluster/service.ts';

export const entryOf = (url: URL): string => relative(CHECKOUT, fileURLToPath(url));

export async function createLoopProcess({ controlPlane }: EngineOptions): Promise<Engine> {
  const port = await freePort();
  let service: Service | undefined;
  return {
    name: 'local',
    configure: async ({ hookUrl, hookToken }) => {
      await service?.kill();
      service = createNodeProcess({
        name: 'loop',
        entry: entryOf(new URL('./loop-process.ts', import.meta.url)),
        logFile: join(controlPlane.dir, 'loop.log'),
        readyUrl: `http://127.0.0.1:${port}`,
        env: {
          KUBECONFIG: controlPlane.user('metacontroller').kubeconfigPath,
          HOOK_URL: hookUrl,
          HOOK_TOKEN: hookToken,
          PORT: `${port}`,
        },
      });
      await service.start();
    },
    kill: async () => service?.kill(),
    start: async () => service?.start(),
    stop: async () => service?.stop(2_000),
  };
}
