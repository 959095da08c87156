import { setImmediate } from 'node:timers/promises';
import { getHeapSnapshot } from 'node:v8';
import t, { type Test } from 'tap';
import { createStandingAnswers } from '../../src/sync/standing-answers.ts';
import { createWorld, MINUTE, SECOND, type World } from '../support/world.ts';
import { BASES } from './day-two-table.ts';

type Body = { parent: { metadata: { name: string }; spec: object } };

/** How many answers were given, and how many of them had to be worked out. */
async function counts(world: World): Promise<{ given: number; workedOut: number }> {
  const { body } = await world.app.inject('/metrics');
  const of = (name: string) =>
    Number(new RegExp(`^rds_pilot_cache_${name}_total{cache="answers"} (\\d+)$`, 'm').exec(body)?.[1] ?? 0);
  return { given: of('reads'), workedOut: of('loads') };
}

function lastSync(world: World, name = 'shop'): { body: Body; answer: unknown } {
  const isOf = (body: unknown) => (body as Body).parent.metadata.name === name;
  const call = world.calls.findLast(({ path, body }) => path.endsWith('/sync') && isOf(body));
  if (!call) throw new Error('nobody called');
  return { body: call.body as Body, answer: call.answer };
}

async function sync(world: World, body: unknown): Promise<string> {
  const response = await world.app.inject({
    method: 'POST',
    url: '/sync',
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
  return response.body;
}

async function atRest(t: Test, others = 0): Promise<World> {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', BASES.MySQL);
  for (let number = 0; number < others; number += 1) await world.apply(`other-${number}`, BASES.MySQL);
  t.ok(await world.reaches('shop', 'Ready'));
  await world.clock.advance(30 * MINUTE);
  return world;
}

t.test(
  'an Rds at rest is answered from memory, with the words that another replica would find',
  async (t) => {
    // The first of them after a minute makes the list of instances be read again; the others share it.
    const world = await atRest(t, 11);
    const before = await counts(world);
    await world.clock.advance(60 * MINUTE);
    const after = await counts(world);
    const given = after.given - before.given;
    const workedOut = after.workedOut - before.workedOut;
    t.ok(given > 12 * 45, `${given} answers in an hour`);
    t.ok(workedOut < given / 3, `${workedOut} of them worked out`);
    const { body, answer } = lastSync(world);
    t.same(JSON.parse(await sync(world, body)), answer);
    await world.restartReplica();
    t.same(JSON.parse(await sync(world, body)), answer);
  },
);

t.test('an answer is not given again', async (t) => {
  type Case = {
    name: string;
    change?: (world: World, id: string) => Promise<unknown>;
    request?: (body: Body) => unknown;
  };
  const cases: Case[] = [
    {
      name: 'after ten minutes',
      change: async (world) => {
        await world.clock.advance(11 * MINUTE);
        // Somebody else has the list read again.
        await sync(world, lastSync(world, 'other-0').body);
      },
    },
    {
      name: 'to another request, however small the difference',
      request: ({ parent, ...rest }) => ({ ...rest, parent: { ...parent, note: '' } }),
    },
    {
      name: 'when the next list tells something else about the instance',
      change: async (world, id) => {
        await world.byHand('PUT', `/instances/${id}/name`, { name: 'by-hand' });
        await world.clock.advance(70 * SECOND);
        // Somebody else has the list read again.
        await sync(world, lastSync(world, 'other-0').body);
      },
    },
    {
      name: 'when the next list cannot be read',
      change: async (world) => {
        world.simulator.faults.add({ match: { path: '/instances' }, kind: '503', times: 1_000 });
        await world.clock.advance(70 * SECOND);
      },
    },
  ];
  for (const { name, change, request = (body: Body) => body as unknown } of cases) {
    t.test(name, async (t) => {
      const world = await atRest(t, 1);
      world.pauseLoops();
      const { body } = lastSync(world);
      const { id } = await world.status('shop');
      const first = await sync(world, body);
      const start = await counts(world);
      t.equal(await sync(world, body), first);
      t.same(await counts(world), { given: start.given + 1, workedOut: start.workedOut }, 'it stood');
      await change?.(world, id ?? '');
      const before = await counts(world);
      await sync(world, request(body));
      t.same(await counts(world), { given: before.given + 1, workedOut: before.workedOut + 1 });
    });
  }
});

t.test('with the autopilot every answer is worked out', async (t) => {
  const world = await atRest(t);
  const autopilot = { mode: 'Recommend' as const, storage: { thresholdPercent: 80, stepGb: 10, maxGb: 200 } };
  await world.apply('shop', { ...BASES.MySQL, autopilot });
  await world.clock.advance(30 * MINUTE);
  world.pauseLoops();
  const { body } = lastSync(world);
  await sync(world, body);
  const start = await counts(world);
  await sync(world, body);
  t.same(await counts(world), { given: start.given + 1, workedOut: start.workedOut + 1 });
});

t.test('the answer to an old picture is forgotten when a newer one comes', async (t) => {
  const world = await atRest(t);
  world.pauseLoops();
  const { body } = lastSync(world);
  await sync(world, body);
  const { parent } = body;
  await sync(world, { ...body, parent: { ...parent, spec: { ...parent.spec, volumesize: 100 } } });
  const start = await counts(world);
  await sync(world, body);
  t.same(await counts(world), { given: start.given + 1, workedOut: start.workedOut + 1 });
});

t.test('what stands', async (t) => {
  let nowMs = 1_000_000;
  const clock = { now: () => nowMs, elapsed: () => nowMs, sleep: async () => {} };
  const children = (password: string) => [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password } },
  ];
  const kept = (request: string, password: string, isStill = () => true) => {
    const answers = createStandingAnswers(clock);
    const answer = { status: {}, children: children(password), resyncAfterSeconds: 60 };
    const stands = { uid: 'u', fromMs: nowMs, untilMs: nowMs + 600_000, still: [isStill] };
    answers.open(request).keep(answer, JSON.stringify(answer), stands);
    return answers;
  };

  t.test('is nothing that holds a secret which the request does not bring', async (t) => {
    const brings = '{"data":{"password":"c2VjcmV0"}}';
    t.match(kept(brings, 'c2VjcmV0').open(brings).answer?.text, '"password":"c2VjcmV0"');
    t.equal(kept('{}', 'c2VjcmV0').open('{}').answer, undefined);
  });

  t.test('holds no secret', async (t) => {
    // Put together when it is needed, so that only what keeps it has it.
    const secret = () => ['bm9i', 'b2R5', 'S2Vl', 'cHNU', 'aGlz'].join('');
    const request = () => `{"data":{"password":"${secret()}"}}`;
    const isInMemory = async () => {
      await setImmediate();
      let isFound = false;
      let end = '';
      // In parts: other tests may have left more than a string can hold.
      for await (const part of getHeapSnapshot()) {
        const text = `${end}${part}`;
        isFound ||= text.includes(secret());
        end = text.slice(-secret().length);
      }
      return isFound;
    };
    const keep = () => kept(request(), secret());
    const answers = keep();
    t.equal(await isInMemory(), false);
    t.match(answers.open(request()).answer?.text, secret());
    const holder = { text: secret() };
    t.equal(await isInMemory(), true, `it would be found: ${holder.text.length} letters`);
  });

  t.test('does not when the clock was put back, or something is not as it was', async (t) => {
    let isSame = true;
    const answers = kept('{"a":"x"}', 'x', () => isSame);
    nowMs -= 1;
    t.equal(answers.open('{"a":"x"}').answer, undefined);
    nowMs += 1;
    t.equal(answers.open('{"a":"x"}').answer, undefined, 'and is gone');
    const others = kept('{"a":"x"}', 'x', () => isSame);
    t.not(others.open('{"a":"x"}').answer, undefined);
    isSame = false;
    t.equal(others.open('{"a":"x"}').answer, undefined);
  });
});
