// A hook in the same process hands its answers over as values: what comes of them is what would come of their text.

import t from 'tap';
import type { HookResponse } from '../../src/local/hook-call.ts';
import { type JsonRecord, sharing } from '../../src/local/json.ts';
import { createWorld, ok, secret } from './toy.ts';

/** As a replica in the simulation answers; its text is never asked for. */
const handedOver = (answer: object): HookResponse => ({
  status: 200,
  headers: {},
  value: answer as JsonRecord,
  get body(): string {
    throw new Error('nobody has to read the text');
  },
});

t.test('the same answers leave the same objects behind, as texts and as values', async (t) => {
  const run = async (hand: (answer: object) => HookResponse) => {
    let calls = 0;
    const sync = () => {
      calls += 1;
      const root = secret('root', { password: calls < 2 ? 'b25l' : 'dHdv' });
      return hand({
        status: { phase: calls < 3 ? 'Creating' : 'Ready', id: undefined, list: [1, undefined] },
        children: [{ ...root, metadata: { ...root.metadata, annotations: undefined } }],
        resyncAfterSeconds: 5,
      });
    };
    const world = await createWorld({ sync });
    await world.createRds();
    await world.loop.start();
    await world.clock.advance(30_000);
    world.loop.stop();
    return { calls, objects: world.server.dump() };
  };
  const asText = await run(ok);
  t.ok(asText.calls > 3, `${asText.calls} calls`);
  t.same(await run(handedOver), asText);
});

t.test('what says the same as before is the object of before, and no object can be edited', async (t) => {
  const before = sharing(undefined, { status: { phase: 'Ready' }, children: [{ name: 'a' }, { name: 'b' }] });
  t.equal(sharing(before, structuredClone(before)), before);
  const now = sharing(before, { status: { phase: 'Changing' }, children: [{ name: 'a' }, { name: 'b' }] });
  const [was, is] = [before, now] as { children: object[]; status: { phase: string } }[];
  t.equal(is?.children, was?.children);
  t.same(is?.status, { phase: 'Changing' });
  t.throws(() => Object.assign(is?.status ?? {}, { phase: 'Failed' }), TypeError);
  // Lists stay open for the sake of speed, what is in them does not.
  t.throws(() => Object.assign(is?.children[0] ?? {}, { name: 'c' }), TypeError);
  const shorter = sharing(before, { children: [{ name: 'a' }] }) as typeof was;
  t.same(shorter, { children: [{ name: 'a' }] });
  t.equal(shorter?.children[0], was?.children[0]);
});
