// A client that costs little: requests are made beforehand, connections stay open, and of an answer only status and
// length are read. So the server is the bottleneck and not the one who measures.

import { connect, type Socket } from 'node:net';

export type Target = { port: number; path: string; bodies: readonly string[] };

export type Load = {
  /** Answered calls a second. */
  perSecond: number;
  answered: number;
  /** Milliseconds each. */
  latencies: number[];
};

/** As many as Metacontroller has workers. */
const CONNECTIONS = 5;

export type Client = { drive(ms: number): Promise<Load>; close(): void };

export async function openClient({ port, path, bodies }: Target): Promise<Client> {
  const requests = bodies.map((body) => requestText(path, body));
  const lines = await Promise.all(Array.from({ length: CONNECTIONS }, () => openLine(port)));
  let next = 0;
  return {
    async drive(ms) {
      const latencies: number[] = [];
      const startedAt = performance.now();
      const rest = stayAwake();
      await Promise.all(
        lines.map(async (line) => {
          while (performance.now() - startedAt < ms) {
            const request = requests[next++ % requests.length] ?? Buffer.alloc(0);
            const sentAt = performance.now();
            const { status } = await line.ask(request);
            if (status !== 200) throw new Error(`${path} answered ${status}`);
            latencies.push(performance.now() - sentAt);
          }
        }),
      );
      rest();
      const seconds = (performance.now() - startedAt) / 1_000;
      return { perSecond: latencies.length / seconds, answered: latencies.length, latencies };
    },
    close() {
      for (const line of lines) line.close();
    },
  };
}

/** Who wakes a core that sleeps pays for it: a server would pay for every pause of its client, the slower one for more. */
function stayAwake(): () => void {
  let isAwake = true;
  const look = (): void => {
    if (isAwake) setImmediate(look);
  };
  look();
  return () => {
    isAwake = false;
  };
}

function requestText(path: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: hook',
    'user-agent: Go-http-client/1.1',
    `content-length: ${Buffer.byteLength(body)}`,
    'content-type: application/json',
    'accept-encoding: gzip',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

type Answer = { status: number; body: Buffer };
type Line = { ask(request: Buffer): Promise<Answer>; close(): void };

async function openLine(port: number): Promise<Line> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return { ask: (request) => exchange(socket, request), close: () => socket.destroy() };
}

function exchange(socket: Socket, request: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let got: Buffer = Buffer.alloc(0);
    const done = () => {
      socket.off('data', onData);
      socket.off('close', onClose);
    };
    const onClose = () => {
      done();
      reject(new Error('the connection was closed'));
    };
    const onData = (chunk: Buffer) => {
      got = got.length === 0 ? chunk : Buffer.concat([got, chunk]);
      const answer = wholeAnswer(got);
      if (!answer) return;
      done();
      resolve(answer);
    };
    socket.on('data', onData);
    socket.on('close', onClose);
    socket.write(request);
  });
}

function wholeAnswer(got: Buffer): Answer | undefined {
  const end = got.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = got.toString('latin1', 0, end);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`an answer without a length: ${head}`);
  if (got.length < end + 4 + length) return undefined;
  return { status: Number(head.slice(9, 12)), body: got.subarray(end + 4) };
}

/** One call, for its answer. */
export async function askOnce(port: number, path: string, body: string): Promise<string> {
  const line = await openLine(port);
  const answer = await line.ask(requestText(path, body)).finally(line.close);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.body}`);
  return answer.body.toString();
}

/** Calls number `from` to `to` (not included), each once. */
export async function askEach(
  { port, path }: { port: number; path: string },
  { from, to }: { from: number; to: number },
  body: (number: number) => string,
): Promise<void> {
  let next = from;
  const work = async () => {
    const line = await openLine(port);
    while (next < to) await line.ask(requestText(path, body(next++)));
    line.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
}
