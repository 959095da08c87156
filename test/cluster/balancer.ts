// A tiny TCP balancer, as a Service is one: each new connection goes to the next backend that takes it. A
// connection stays where it is, so a client that keeps it alive stays with one replica.
import { connect, createServer, type Socket } from 'node:net';

export type Balancer = {
  port: number;
  url: string;
  /** A loopback port. Adding one twice changes nothing. */
  add: (backend: number) => void;
  /** Open connections live on, unless they are to be cut as by a crashed node. */
  remove: (backend: number, options?: { cut?: boolean }) => void;
  /** Connections made so far, by backend; kept after a removal. */
  connections: (backend: number) => number;
  /** Connections that no backend took. */
  refused: () => number;
  stop: () => Promise<void>;
};

const dial = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });

function join(client: Socket, server: Socket): void {
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroySoon());
    from.pipe(to);
  }
}

export async function startBalancer(options: { port?: number; backends?: number[] } = {}): Promise<Balancer> {
  const backends = [...(options.backends ?? [])];
  const counts = new Map<number, number>();
  const open = new Map<Socket, number>();
  const clients = new Set<Socket>();
  let turn = 0;
  let refused = 0;

  const choose = async (): Promise<{ backend: number; socket: Socket } | undefined> => {
    const first = turn;
    turn += 1;
    const candidates = backends.map((_, index) => backends[(first + index) % backends.length]);
    for (const backend of candidates) {
      if (backend === undefined || !backends.includes(backend)) continue;
      const socket = await dial(backend).catch(() => undefined);
      if (socket) return { backend, socket };
    }
    return undefined;
  };

  const accept = async (client: Socket): Promise<void> => {
    clients.add(client);
    client.once('close', () => clients.delete(client));
    client.on('error', () => client.destroy());
    const chosen = await choose();
    if (!chosen) {
      refused += 1;
      client.resetAndDestroy();
      return;
    }
    const { backend, socket } = chosen;
    counts.set(backend, (counts.get(backend) ?? 0) + 1);
    open.set(socket, backend);
    socket.once('close', () => open.delete(socket));
    if (client.destroyed) socket.destroy();
    else join(client, socket);
  };

  // Nothing is read from the client before there is somebody to hand it to.
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => void accept(client));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the balancer has no TCP port');

  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    add: (backend) => {
      if (!backends.includes(backend)) backends.push(backend);
    },
    remove: (backend, { cut = false } = {}) => {
      const index = backends.indexOf(backend);
      if (index >= 0) backends.splice(index, 1);
      if (cut) for (const [socket, owner] of open) if (owner === backend) socket.destroy();
    },
    connections: (backend) => counts.get(backend) ?? 0,
    refused: () => refused,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of [...open.keys(), ...clients]) socket.destroy();
      await closed;
    },
  };
}
