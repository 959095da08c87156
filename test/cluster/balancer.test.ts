import { createServer, type Server } from 'node:http';
import t, { type Test } from 'tap';
import { Agent, request } from 'undici';
import { startBalancer } from './balancer.ts';
import { freePort } from './free-port.ts';

async function backend(t: Test, answer: string): Promise<{ port: number; server: Server }> {
  const server = createServer((_, res) => res.end(answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, server };
}

/** One connection per call, as different clients would make. */
async function ask(url: string): Promise<string> {
  const dispatcher = new Agent();
  try {
    return await (await request(url, { dispatcher })).body.text();
  } finally {
    await dispatcher.close();
  }
}

const times = async (count: number, url: string): Promise<string[]> => {
  const answers: string[] = [];
  for (let index = 0; index < count; index += 1) answers.push(await ask(url));
  return answers;
};

t.test('connections go to the backends in turn and are counted', async (t) => {
  const [a, b] = [await backend(t, 'a'), await backend(t, 'b')];
  const balancer = await startBalancer({ backends: [a.port, b.port] });
  t.teardown(balancer.stop);
  t.same(await times(4, balancer.url), ['a', 'b', 'a', 'b']);
  t.equal(balancer.connections(a.port), 2);
  t.equal(balancer.connections(b.port), 2);
});

t.test('a backend that refuses is skipped, and comes back when it listens again', async (t) => {
  const a = await backend(t, 'a');
  const dead = await freePort();
  const balancer = await startBalancer({ backends: [dead, a.port] });
  t.teardown(balancer.stop);
  t.same(await times(3, balancer.url), ['a', 'a', 'a']);
  const late = createServer((_, res) => res.end('late'));
  await new Promise<void>((resolve) => late.listen(dead, '127.0.0.1', resolve));
  t.teardown(() => late.close());
  t.ok((await times(2, balancer.url)).includes('late'));
  t.equal(balancer.refused(), 0);
});

t.test('backends are added and removed while it runs', async (t) => {
  const [a, b] = [await backend(t, 'a'), await backend(t, 'b')];
  const balancer = await startBalancer({ backends: [a.port] });
  t.teardown(balancer.stop);
  balancer.add(b.port);
  balancer.add(b.port);
  t.same((await times(2, balancer.url)).sort(), ['a', 'b']);
  balancer.remove(a.port);
  t.same(await times(2, balancer.url), ['b', 'b']);
});

t.test('without a live backend the connection is reset and counted', async (t) => {
  const balancer = await startBalancer({ backends: [await freePort()] });
  t.teardown(balancer.stop);
  await t.rejects(ask(balancer.url));
  t.equal(balancer.refused(), 1);
});

t.test('a removed backend may keep its open connections or have them cut', async (t) => {
  const server = createServer((req, res) => {
    if (req.url === '/slow') setTimeout(() => res.end('finished'), 100);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const balancer = await startBalancer({ backends: [address.port] });
  t.teardown(balancer.stop);
  const arrived = () => new Promise((resolve) => server.once('request', resolve));

  const kept = ask(`${balancer.url}/slow`);
  await arrived();
  balancer.remove(address.port);
  t.equal(await kept, 'finished');

  balancer.add(address.port);
  const cut = t.rejects(ask(`${balancer.url}/never`));
  await arrived();
  balancer.remove(address.port, { cut: true });
  await cut;
});

t.test('a large body passes unharmed', async (t) => {
  const a = await backend(t, 'x'.repeat(5_000_000));
  const balancer = await startBalancer({ backends: [a.port] });
  t.teardown(balancer.stop);
  t.equal((await ask(balancer.url)).length, 5_000_000);
});
