// One replica of the hook that can be killed like a process: from that moment it neither does nor learns
// anything, what it had sent may still take effect, and the next one starts with an empty memory.

import type { FastifyInstance } from 'fastify';
import type { KubeCall } from '../../kube/api.ts';
import type { Send } from '../../otc/send.ts';

/** All that a replica has of the world. */
export type Outside = { send: Send; kube: KubeCall };
export type Service = { app: FastifyInstance; close(): Promise<void> };
export type StartService = (outside: Outside) => Promise<Service>;

export type Replica = {
  listen(where: { host: string; port: number }): Promise<string>;
  isAlive(): boolean;
  kill(): Promise<void>;
  revive(): Promise<void>;
  close(): Promise<void>;
};

type Life = { isOver: boolean };

const never = new Promise<never>(() => {});

/** A dead process gets no answer, not even an error. */
function during<In, Out>(life: Life, call: (input: In) => Promise<Out>): (input: In) => Promise<Out> {
  return async (input) => {
    if (life.isOver) return never;
    try {
      const answer = await call(input);
      return life.isOver ? never : answer;
    } catch (error) {
      if (life.isOver) return never;
      throw error;
    }
  };
}

export function createReplica(start: StartService, outside: Outside): Replica {
  let life: Life = { isOver: true };
  let service: Service | undefined;
  let address = { host: '127.0.0.1', port: 0 };
  let work: Promise<unknown> = Promise.resolve();

  /** Kill and revive follow each other, however fast somebody clicks. */
  function inTurn<T>(step: () => Promise<T>): Promise<T> {
    const next = work.then(step, step);
    work = next.catch(() => {});
    return next;
  }

  async function begin(): Promise<string> {
    const own: Life = { isOver: false };
    const started = await start({ send: during(own, outside.send), kube: during(own, outside.kube) });
    const url = await started.app.listen(address);
    [life, service] = [own, started];
    address = { ...address, port: Number(new URL(url).port) };
    return url;
  }

  return {
    listen: (where) =>
      inTurn(() => {
        address = where;
        return begin();
      }),
    isAlive: () => !life.isOver,
    kill: () =>
      inTurn(async () => {
        if (life.isOver || !service) return;
        life.isOver = true;
        const closed = service.close();
        service.app.server.closeAllConnections();
        await closed;
      }),
    revive: () =>
      inTurn(async () => {
        if (life.isOver) await begin();
      }),
    close: () => inTurn(async () => (life.isOver ? undefined : service?.close())),
  };
}
