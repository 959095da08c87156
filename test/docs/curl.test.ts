// What the pages tell a reader to paste is sent to the real app, and the answers shown are compared with its own.

import t from 'tap';
import { requestIsLive } from '../../src/kube/live.ts';
import { createWorld, SECOND, type World } from '../support/world.ts';
import { type Block, pageOf, readPages } from './pages.ts';

type Json = Record<string, unknown>;
type Curl = { path: string; body: Json; where: string };

const pages = readPages();

/** `curl -s localhost:8080/sync … -d '{…}'` as a shell would read it. */
function curlOf({ page, line, text }: Block): Curl {
  const where = `${page}:${line}`;
  const call = /^curl -s localhost:8080(\/\w+) -H 'content-type: application\/json' -d '([^']+)'\n$/.exec(
    text,
  );
  if (!call) throw new Error(`${where}: not a call that can be pasted`);
  return { path: call[1] ?? '', body: JSON.parse(call[2] ?? '') as Json, where };
}

function curls(page: string): Curl[] {
  return pageOf(pages, page)
    .blocks.filter(({ language, text }) => language === 'sh' && text.startsWith('curl -s localhost:8080/'))
    .map(curlOf);
}

function answers(page: string): Json[] {
  return pageOf(pages, page)
    .blocks.filter(({ language }) => language === 'json')
    .map(({ text }) => JSON.parse(text) as Json);
}

function onlyOne<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined || items.length !== 1) throw new Error(`expected one, found ${items.length}`);
  return item;
}

/** Values that are another in every run. */
const VARIES = new Set(['id', 'ip', 'lastTransitionTime', 'resyncAfterSeconds']);

/** What is shown and not so in the answer; lists may be shortened, not reordered or invented. */
function notSo(shown: unknown, real: unknown, path = 'answer'): string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(real)) return [`${path} is no list`];
    if (shown.length === 0) return real.length === 0 ? [] : [`${path} is not empty`];
    return shown.flatMap((item, index) => {
      const misses = real.map((candidate) => notSo(item, candidate, `${path}[${index}]`));
      return misses.some((miss) => miss.length === 0) ? [] : (misses[0] ?? [`${path}[${index}] is missing`]);
    });
  }
  if (typeof shown === 'object' && shown !== null) {
    if (typeof real !== 'object' || real === null) return [`${path} is no object`];
    return Object.entries(shown).flatMap(([key, value]) => {
      const at = `${path}.${key}`;
      if (!(key in real)) return [`${at} is missing`];
      const other = (real as Json)[key];
      if (VARIES.has(key)) return typeof other === typeof value ? [] : [`${at} is a ${typeof other}`];
      return notSo(value, other, at);
    });
  }
  return shown === real ? [] : [`${path} is ${JSON.stringify(real)}, not ${JSON.stringify(shown)}`];
}

/** curl has no API server behind it, as `npm start` on a laptop has none. */
const laptop = () => createWorld({ deps: { readLive: requestIsLive } });

async function paste(world: World, { path, body }: Curl): Promise<{ status: number; answer: Json }> {
  const call = { isOver: false };
  const response = world.app.inject({ method: 'POST', url: path, payload: body }).finally(() => {
    call.isOver = true;
  });
  while (!call.isOver) await world.clock.advance(SECOND / 10);
  const { statusCode, body: text } = await response;
  return { status: statusCode, answer: JSON.parse(text) as Json };
}

const phaseOf = ({ answer }: { answer: Json }) => (answer.status as { phase?: string } | undefined)?.phase;

/** Calls again and again, as a reader would, until the answer is as told. */
async function pasteUntil(world: World, call: Curl, isSo: (got: { answer: Json }) => boolean) {
  for (let tries = 0; tries < 200; tries += 1) {
    const got = await paste(world, call);
    if (isSo(got)) return got;
    await world.clock.advance(10 * SECOND);
  }
  throw new Error(`${call.where}: never came so far`);
}

t.test('the call in the README is accepted and answered as shown', async (t) => {
  const world = await laptop();
  t.teardown(world.stop);
  const call = onlyOne(curls('README.md'));
  const first = await paste(world, call);
  t.equal(first.status, 200);
  t.same(notSo(onlyOne(answers('README.md')), first.answer), []);
  t.equal(world.creates(), 0, 'the first call opens the journal');
  t.equal(phaseOf(await paste(world, call)), 'Creating', 'the same call again orders the instance');
  const last = await pasteUntil(world, call, (got) => phaseOf(got) === 'Ready');
  const kinds = (last.answer.children as { kind: string }[]).map(({ kind }) => kind);
  t.same(kinds, ['Service', 'EndpointSlice', 'Secret']);
  t.equal(world.creates(), 1, 'however often it is called');
});

t.test('the calls in hooks.md lead from nothing to Ready to finalized, as told', async (t) => {
  const world = await laptop();
  t.teardown(world.stop);
  const [sync, finalize, customize, ...more] = curls('docs/hooks.md');
  if (!sync || !finalize || !customize) throw new Error('three calls are expected');
  t.same([sync.path, finalize.path, customize.path, more.length], ['/sync', '/finalize', '/customize', 0]);
  const [shownReady, shownRelated] = answers('docs/hooks.md');

  t.equal(phaseOf(await paste(world, sync)), 'Pending');
  t.equal(phaseOf(await paste(world, sync)), 'Creating');
  const ready = await pasteUntil(world, sync, (got) => phaseOf(got) === 'Ready');
  t.same(notSo(shownReady, ready.answer), []);
  t.same(notSo(shownRelated, (await paste(world, customize)).answer), []);

  const reasons = new Set<string>();
  const done = await pasteUntil(world, finalize, ({ answer }) => {
    const { conditions = [] } = answer.status as { conditions?: { type: string; reason: string }[] };
    const progress = conditions.find(({ type }) => type === 'Progressing');
    if (progress) reasons.add(progress.reason);
    return answer.finalized === true;
  });
  t.equal(done.answer.finalized, true);
  for (const reason of ['Deleting', 'FinalBackup', 'ProvingAbsence']) t.ok(reasons.has(reason), reason);
  t.same(
    world.simulator.state.backups.filter(({ name }) => name.startsWith('final-')).map(({ status }) => status),
    ['COMPLETED'],
  );
  t.equal(world.simulator.state.instances.length, 0);
  t.equal((await paste(world, sync)).status, 429, 'its journal is closed for good');
});

t.test('the status codes in hooks.md are those of the app', async (t) => {
  const world = await createWorld({ hookTokens: ['one', 'two'] });
  t.teardown(world.stop);
  const { body } = onlyOne(curls('README.md'));
  const send = (payload: string | object, authorization?: string) =>
    world.app.inject({
      method: 'POST',
      url: '/sync',
      payload,
      headers: { 'content-type': 'application/json', ...(authorization ? { authorization } : {}) },
    });
  t.equal((await send(body)).statusCode, 401);
  t.equal((await send(body, 'Bearer three')).statusCode, 401);
  t.equal((await send(body, 'Bearer two')).statusCode, 200);
  t.equal((await send({ parent: {} }, 'Bearer one')).statusCode, 400);
  t.equal((await send('{', 'Bearer one')).statusCode, 400);
  t.equal((await send('x'.repeat(16 * 1024 * 1024 + 1), 'Bearer one')).statusCode, 413);
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json'])
    t.equal((await world.app.inject(path)).statusCode, 200, `${path} needs no token`);
});

t.test('a shown answer that is not so would be found', async (t) => {
  const real = { status: { phase: 'Ready', id: 'a' }, children: [{ kind: 'Service' }, { kind: 'Secret' }] };
  t.same(notSo({ status: { id: 'b' }, children: [{ kind: 'Secret' }] }, real), []);
  t.not(notSo({ status: { phase: 'Pending' } }, real).length, 0, 'another value');
  t.not(notSo({ status: { port: 1 } }, real).length, 0, 'a key that is not there');
  t.not(notSo({ children: [{ kind: 'Job' }] }, real).length, 0, 'an item that is not there');
  t.not(notSo({ children: [] }, real).length, 0, 'a list that is not empty');
  t.throws(() =>
    curlOf({ page: 'x', line: 1, language: 'sh', text: "curl -s localhost:8080/sync -d '{'\n" }),
  );
});
