import { createServer } from 'node:http';
import t, { type Test } from 'tap';
import { request } from 'undici';
import { freePort } from '../cluster/free-port.ts';
import { type HookBody, startRecorder } from './recorder.ts';

const body = (phase: string): HookBody => ({
  parent: { apiVersion: 'v1', kind: 'Rds', metadata: { name: 'shop', namespace: 'a' }, status: { phase } },
});

/** A hook that answers with the phase it was shown. */
async function hook(t: Test): Promise<number> {
  const server = createServer((incoming, outgoing) => {
    let text = '';
    incoming.on('data', (chunk) => {
      text += chunk;
    });
    incoming.on('end', () => outgoing.end(JSON.stringify({ status: JSON.parse(text).parent.status })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

const ask = async (url: string, phase: string): Promise<unknown> => {
  const response = await request(`${url}/sync`, { method: 'POST', body: JSON.stringify(body(phase)) });
  return response.body.json();
};

t.test('calls are passed on in turn, written down, and a dead replica is passed over', async (t) => {
  const ports = [await hook(t), await hook(t), await freePort()];
  const recorder = await startRecorder(() => ports);
  t.teardown(recorder.stop);
  for (let index = 0; index < 4; index += 1) t.same(await ask(recorder.url, 'x'), { status: { phase: 'x' } });
  t.same(new Set(recorder.calls.map(({ replica }) => replica)), new Set(ports.slice(0, 2)));
  t.match(recorder.calls[0], { hook: 'sync', code: 200, answer: { status: { phase: 'x' } } });
  t.same(recorder.inFlight(), []);
});

t.test('an answer is held, a call cut, a stale parent shown, each once', async (t) => {
  const port = await hook(t);
  const recorder = await startRecorder(() => [port]);
  t.teardown(recorder.stop);
  const [held, release, shown] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  const matches = () => true;
  recorder.inject({ matches, effect: { kind: 'hold', until: release.promise, onHeld: held.resolve } });
  const waiting = ask(recorder.url, 'one');
  await held.promise;
  t.equal(recorder.inFlight().length, 1);
  release.resolve();
  t.same(await waiting, { status: { phase: 'one' } });
  recorder.inject({ matches, effect: { kind: 'cut' } });
  await t.rejects(ask(recorder.url, 'two'));
  recorder.inject({ matches, effect: { kind: 'stale', body: body('old'), onShown: shown.resolve } });
  t.same(await ask(recorder.url, 'three'), { status: { phase: 'old' } });
  await shown.promise;
  t.same(await ask(recorder.url, 'four'), { status: { phase: 'four' } });
  t.same(
    recorder.calls.map(({ tampered, code }) => [tampered, code]),
    [
      ['held', 200],
      ['cut', 0],
      ['stale', 200],
      [undefined, 200],
    ],
  );
});

t.test('without a replica the call is cut', async (t) => {
  const recorder = await startRecorder(() => []);
  t.teardown(recorder.stop);
  await t.rejects(ask(recorder.url, 'x'));
  t.match(recorder.calls, [{ code: 0 }]);
});
