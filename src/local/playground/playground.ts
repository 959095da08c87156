// The page of `make run`: everything the laptop does, to look at and to break. Loopback only, and no part of
// the service: server.ts loads it when the simulated cloud and the local loop are asked for.

import Fastify, { type FastifyInstance } from 'fastify';
import type { Clock } from '../../clock.ts';
import type { KubeCall } from '../../kube/api.ts';
import type { Send } from '../../otc/send.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { CallHook } from '../hook-call.ts';
import type { JobRunner } from '../pods/jobs.ts';
import { createFaultSwitches } from './fault-switches.ts';
import { refusalOf, SAFE_HEADERS } from './guard.ts';
import type { WatchAll } from './mirror.ts';
import { createReplica, type Replica, type StartService } from './replica.ts';
import { addRoutes } from './routes.ts';
import { createStreams } from './stream.ts';
import { createTimeline } from './timeline.ts';
import { createTrace } from './trace.ts';
import { createWorld } from './world-view.ts';

export type PlaygroundOptions = {
  clock: Clock;
  simulator: Simulator;
  /** The cluster in memory. */
  kube: KubeCall;
  watch: WatchAll;
  /** What the Jobs of the databases printed. */
  output: JobRunner['output'];
  send: Send;
  /** Makes a replica of the hook. */
  startService: StartService;
  speed: number;
};

export type Playground = {
  replica: Replica;
  watchHook(call: CallHook): CallHook;
  /** Opens the page and says where it is. */
  listen(): Promise<string>;
  close(): Promise<void>;
};

const HOST = '127.0.0.1';
const PORT = 8082;

export function createPlayground(options: PlaygroundOptions): Playground {
  const { clock, simulator, kube } = options;
  const timeline = createTimeline(clock.now);
  const trace = createTrace(timeline, clock.elapsed);
  const replica = createReplica(options.startService, { send: trace.watchSend(options.send), kube });
  const switches = createFaultSwitches(simulator.faults, replica, timeline);
  const { watch, speed, output } = options;
  const { cloudCalls } = trace;
  const world = createWorld({ clock, simulator, kube, watch, timeline, switches, cloudCalls, speed, output });
  const streams = createStreams(world);

  const app = Fastify({
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allowUnionTypes: true } },
    forceCloseConnections: true,
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SAFE_HEADERS);
    const refusal = refusalOf(request.method, request.headers);
    if (refusal) return reply.code(403).send({ message: refusal });
  });
  const orderLoad = (body: object) =>
    simulator.handle({ method: 'POST', url: '/_sim/load', headers: {}, body: JSON.stringify(body) });
  addRoutes(app, { world, streams, switches, kube, orderLoad });

  return {
    replica,
    watchHook: trace.watchHook,
    listen: () => listenNear(app),
    async close() {
      streams.close();
      world.stop();
      trace.close();
      await app.close();
    },
  };
}

/** A second playground must not keep the first one's port from anybody: any free one will do. */
async function listenNear(app: FastifyInstance): Promise<string> {
  try {
    return await app.listen({ host: HOST, port: PORT });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return app.listen({ host: HOST, port: 0 });
  }
}
