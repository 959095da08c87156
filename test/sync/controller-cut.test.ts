// The CompositeController in a hook call is not read, so a known one is not parsed again. Whatever the text looks
// like, what is read from the rest must be the same.

import fc from 'fast-check';
import t from 'tap';
import { createControllerCut } from '../../src/sync/request.ts';

const call = (controller: unknown, parent: unknown) =>
  JSON.stringify({ controller, parent, children: {}, related: {}, finalizing: false });

const withoutController = (text: string) => {
  const { controller: _controller, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return rest;
};

t.test('from the second call on the controller is gone and the rest is untouched', async (t) => {
  const cut = createControllerCut();
  const first = call({ metadata: { name: 'rds' } }, { metadata: { name: 'a' } });
  const second = call({ metadata: { name: 'rds' } }, { metadata: { name: 'b' } });
  t.equal(cut(first), first);
  t.same(JSON.parse(cut(second)), withoutController(second));
});

t.test('an edited controller is learned anew, and no more than a few are kept', async (t) => {
  const cut = createControllerCut();
  const edits = Array.from({ length: 6 }, (_, edit) => call({ edit }, { metadata: {} }));
  for (const text of edits) cut(text);
  t.same(JSON.parse(cut(edits[5] ?? '')), withoutController(edits[5] ?? ''));
  t.equal(cut(edits[0] ?? ''), edits[0], 'the oldest was forgotten');
});

t.test('what only looks like the end of the controller does not count', async (t) => {
  const cut = createControllerCut();
  const traps = [
    call({ spec: { a: {}, parent: { deep: true } } }, { metadata: {} }),
    call({ text: '},"parent":{' }, { metadata: {} }),
    '[]',
  ];
  for (const text of [...traps, ...traps]) {
    const given = cut(text);
    if (given !== text) t.same(JSON.parse(given), withoutController(text), text);
  }
  const broken = [
    '',
    'not JSON',
    '{"controller":{"a":{},"parent":{',
    '{"controller":{},"parent":{} and more',
  ];
  for (const text of [...broken, ...broken]) t.throws(() => JSON.parse(cut(text)), text);
});

t.test('for any two calls the rest reads the same with and without the cut', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (controller, one, other) => {
      const cut = createControllerCut();
      for (const parent of [one, other]) {
        const text = call(controller, { parent });
        const rest = JSON.parse(cut(text)) as Record<string, unknown>;
        delete rest.controller;
        if (JSON.stringify(rest) !== JSON.stringify(withoutController(text))) return false;
      }
      return true;
    }),
  );
});
