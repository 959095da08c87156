import Fastify from 'fastify';
import t from 'tap';
import { request } from 'undici';
import { createReplica, type Outside } from '../../src/local/playground/replica.ts';

/** A hook with a memory that makes two calls to the cloud for each call it gets. */
async function startService({ send }: Outside) {
  const app = Fastify();
  let memory = 0;
  const call = (route: string) =>
    send({ service: 'rds', method: 'POST', url: 'http://cloud/', route, headers: {}, deadlineMs: 1_000 });
  app.get('/', async () => {
    await call('first');
    await call('second');
    memory += 1;
    return { memory };
  });
  return { app, close: () => app.close() };
}

t.test('a killed replica does nothing more, and the next one knows nothing', async (t) => {
  const sent: string[] = [];
  let answer = Promise.withResolvers<void>();
  answer.resolve();
  let onSend = () => {};
  const outside: Outside = {
    async send({ route }) {
      sent.push(route);
      onSend();
      await answer.promise;
      return { status: 200, headers: {}, body: '' };
    },
    kube: async () => ({ status: 200, body: {} }),
  };
  const replica = createReplica(startService, outside);
  t.teardown(replica.close);
  const url = await replica.listen({ host: '127.0.0.1', port: 0 });
  const ask = async () => (await request(url)).body.json();
  t.same(await ask(), { memory: 1 });
  t.same(await ask(), { memory: 2 });

  answer = Promise.withResolvers<void>();
  const isSent = new Promise<void>((resolve) => {
    onSend = resolve;
  });
  sent.length = 0;
  const lost = t.rejects(ask(), 'the call in flight gets no answer');
  await isSent;
  await replica.kill();
  t.notOk(replica.isAlive());
  await lost;
  answer.resolve();
  await t.rejects(ask(), 'nobody answers for the dead');
  t.same(sent, ['first'], 'what was sent took effect, and nothing followed');

  await replica.revive();
  t.ok(replica.isAlive());
  t.same(await ask(), { memory: 1 }, 'on the same port, with an empty memory');
  await Promise.all([replica.kill(), replica.revive(), replica.kill(), replica.revive()]);
  t.same(await ask(), { memory: 1 }, 'however fast somebody clicks');
});
