// Who plays Metacontroller: the real binary, or the project's own loop on the same real API server.
import { Agent, request } from 'undici';
import { kubeconfigConnection } from '../../src/kube/connection.ts';
import { createKubeHttp } from '../../src/kube/http.ts';
import { backgroundClock } from '../../src/local/background-clock.ts';
import type { CallHook } from '../../src/local/hook-call.ts';
import { createMetacontroller, type LoopEvent } from '../../src/local/metacontroller.ts';
import { createClusterWatch } from '../../src/local/real-cluster.ts';
import { type ControllerSettings, compositeControllers, tokenSecret } from './composite-controller.ts';
import type { ControlPlane } from './control-plane.ts';
import { startMetacontroller } from './metacontroller.ts';

export type EngineName = 'local' | 'metacontroller';

export type Engine = {
  name: EngineName;
  /** Applies the CompositeControllers; called again it is an edit, which cuts hook calls in flight. */
  configure: (settings: ControllerSettings) => Promise<void>;
  kill: () => Promise<void>;
  start: () => Promise<void>;
  stop: () => Promise<void>;
};

export type EngineOptions = { controlPlane: ControlPlane; onProblem?: (message: string) => void };
type LoopOptions = Omit<EngineOptions, 'controlPlane'> & {
  controlPlane: Pick<ControlPlane, 'url' | 'ca' | 'user'>;
};

/** Everything is in memory: a stop is as hard as a kill, and an edit is a stop and a start. */
export async function createLocalEngine({ controlPlane, onProblem }: LoopOptions): Promise<Engine> {
  const { kubeconfigPath, token } = controlPlane.user('metacontroller');
  const kube = createKubeHttp(kubeconfigConnection(kubeconfigPath));
  const dispatcher = new Agent({ connect: { ca: controlPlane.ca } });
  let settings: ControllerSettings | undefined;
  let end: (() => void) | undefined;

  const onEvent = (event: LoopEvent): void => {
    if (event.type === 'failed' || event.type === 'crashed') onProblem?.(`${event.key}: ${event.message}`);
  };

  const kill = async (): Promise<void> => {
    end?.();
    end = undefined;
  };

  const start = async (): Promise<void> => {
    if (!settings) return;
    const cut = new AbortController();
    const callHook = hookCaller(settings, cut.signal);
    const loops = compositeControllers(settings).map((controller) =>
      createMetacontroller({
        controller,
        kube: kube.call,
        watch: createClusterWatch({
          baseUrl: controlPlane.url,
          headers: { authorization: `Bearer ${token}` },
          dispatcher,
          clock: backgroundClock,
          ...(onProblem ? { onProblem } : {}),
        }),
        callHook,
        clock: backgroundClock,
        onEvent,
      }),
    );
    end = () => {
      for (const loop of loops) loop.stop();
      cut.abort();
    };
    await Promise.all(loops.map((loop) => loop.start()));
  };

  return {
    name: 'local',
    kill,
    start,
    configure: async (next) => {
      await kill();
      settings = next;
      await start();
    },
    stop: async () => {
      await kill();
      await Promise.all([dispatcher.destroy(), kube.close().catch(() => {})]);
    },
  };
}

/** Like the real one it hangs up when its controller is stopped. */
const hookCaller =
  ({ hookUrl, hookToken }: ControllerSettings, cut: AbortSignal): CallHook =>
  async (path, body, timeoutMs) => {
    const response = await request(new URL(path, hookUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${hookToken}` },
      body: JSON.stringify(body),
      signal: AbortSignal.any([cut, AbortSignal.timeout(timeoutMs)]),
    });
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value ?? '')]),
    );
    return { status: response.statusCode, headers, body: await response.body.text() };
  };

const LOOK_MS = 200;

/**
 * Started again whenever it ends by itself, as its StatefulSet would do: version 4.17.2 panics when the
 * CompositeController is edited while a finalizer is being added.
 */
export async function createMetacontrollerEngine(
  { controlPlane, onProblem }: EngineOptions,
  home: string,
): Promise<Engine> {
  const kube = controlPlane.client();
  const service = await startMetacontroller({ controlPlane, home });
  let isWanted = true;
  let isStarting = false;

  const revive = async (): Promise<void> => {
    if (!isWanted || isStarting || service.pid() !== undefined) return;
    isStarting = true;
    onProblem?.('metacontroller ended by itself and is started again');
    await service.start().catch((error: unknown) => onProblem?.(String(error)));
    isStarting = false;
  };
  const timer = setInterval(() => void revive(), LOOK_MS);
  timer.unref();

  return {
    name: 'metacontroller',
    kill: async () => {
      isWanted = false;
      await service.kill();
    },
    start: async () => {
      await service.start();
      isWanted = true;
    },
    stop: async () => {
      isWanted = false;
      clearInterval(timer);
      await service.stop();
    },
    configure: async (settings) => {
      // Read when the controller starts, so it must be there before the edit.
      await kube.apply(tokenSecret(settings));
      for (const controller of compositeControllers(settings)) await kube.apply(controller);
    },
  };
}
