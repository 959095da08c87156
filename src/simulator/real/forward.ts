// One address and port of this machine, led on to a database server byte by byte.
import { connect, createServer, type Server, type Socket } from 'node:net';

export type Target = { host: string; port: number /** Where connections to it come from. */; from?: string };

export type Forward = {
  /** Cuts what is open and stops listening. */
  close(): Promise<void>;
};

const LISTEN_ATTEMPTS = 20;
const PAUSE_MS = 100;

export async function openForward(at: { ip: string; port: number }, target: Target): Promise<Forward> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const upstream = connect({
      host: target.host,
      port: target.port,
      ...(target.from && { localAddress: target.from }),
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      keep(one);
      one.on('error', () => other.destroy());
      one.once('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await listen(server, at);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** The port may still be held for a moment by the forward that was just closed. */
async function listen(server: Server, { ip, port }: { ip: string; port: number }): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
      server.once('error', resolve);
      server.listen(port, ip, () => {
        server.removeListener('error', resolve);
        resolve(undefined);
      });
    });
    if (!error) return;
    if (error.code !== 'EADDRINUSE' || attempt === LISTEN_ATTEMPTS)
      throw new Error(`Port ${port} of ${ip} cannot be listened on: ${error.message}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
