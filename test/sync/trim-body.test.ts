// The CompositeController in a hook call is not read, so a known one is not parsed again. Whatever the text looks
// like, what is read from the rest must be the same.

import fc from 'fast-check';
import t from 'tap';
import { createTrim, withoutManagedFields } from '../../src/sync/trim-body.ts';

const call = (controller: unknown, parent: unknown) =>
  JSON.stringify({ controller, parent, children: {}, related: {}, finalizing: false });

const withoutController = (text: string) => {
  const { controller: _controller, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return rest;
};

t.test('from the second call on the controller is gone and the rest is untouched', async (t) => {
  const cut = createTrim();
  const first = call({ metadata: { name: 'rds' } }, { metadata: { name: 'a' } });
  const second = call({ metadata: { name: 'rds' } }, { metadata: { name: 'b' } });
  t.equal(cut(first), first);
  t.same(JSON.parse(cut(second)), withoutController(second));
});

t.test('an edited controller is learned anew, and no more than a few are kept', async (t) => {
  const cut = createTrim();
  const edits = Array.from({ length: 6 }, (_, edit) => call({ edit }, { metadata: {} }));
  for (const text of edits) cut(text);
  t.same(JSON.parse(cut(edits[5] ?? '')), withoutController(edits[5] ?? ''));
  t.equal(cut(edits[0] ?? ''), edits[0], 'the oldest was forgotten');
});

t.test('what only looks like the end of the controller does not count', async (t) => {
  const cut = createTrim();
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
      const cut = createTrim();
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

const managed = [
  { manager: 'metacontroller', operation: 'Apply', fieldsV1: { 'f:data': { 'k:{"name":"x"}': {} } } },
];
const object = (name: string) => ({ metadata: { labels: { a: 'b' }, managedFields: managed, name } });

t.test('managed fields of children and related objects are gone, those of the parent stay', async (t) => {
  const body = { parent: object('shop'), children: { 'Secret.v1': { 'a/b': object('b') } }, related: {} };
  const text = JSON.stringify({ ...body, related: { 'Service.v1': { 'a/c': object('c') } } });
  const read = JSON.parse(withoutManagedFields(text));
  t.same(read.parent, object('shop'));
  t.same(read.children['Secret.v1']['a/b'], { metadata: { labels: { a: 'b' }, name: 'b' } });
  t.same(read.related['Service.v1']['a/c'], { metadata: { labels: { a: 'b' }, name: 'c' } });
});

t.test('what only looks like managed fields is left alone, or what is left does not parse', async (t) => {
  const traps: unknown[] = [
    { metadata: { name: 'last', managedFields: managed }, spec: { list: [1], name: 'not the end' } },
    { metadata: { managedFields: [{ deep: [1], name: 'inner' }], name: 'nested' } },
    { metadata: { annotations: { text: '"managedFields":[],"name":"x"' }, name: 'quoted' } },
    { metadata: { managedFields: 'no list', name: 'text' } },
  ];
  for (const trap of traps) {
    const text = JSON.stringify({ parent: object('shop'), children: { x: { y: trap } } });
    t.ok(isSameOrBroken(text), text);
  }
  t.equal(
    withoutManagedFields('{"managedFields":[],"managedFields":['),
    '{"managedFields":[],"managedFields":[',
  );
});

t.test('for any objects the rest reads the same without managed fields, or not at all', async () => {
  const key = fc.constantFrom('managedFields', 'name', 'children', 'a]', '],"name":"', '"managedFields":[');
  const anything = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      key,
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }),
    ),
  })).tree;
  fc.assert(
    fc.property(anything, (tree) =>
      isSameOrBroken(JSON.stringify({ parent: object('shop'), children: { tree }, related: {} })),
    ),
    { numRuns: 3_000 },
  );
});

/** Nothing but managed fields may be missing from what is read. */
function isSameOrBroken(text: string): boolean {
  let read: unknown;
  try {
    read = JSON.parse(withoutManagedFields(text));
  } catch {
    return true;
  }
  return isSubset(read, JSON.parse(text));
}

function isSubset(part: unknown, whole: unknown): boolean {
  if (typeof part !== 'object' || part === null || typeof whole !== 'object' || whole === null)
    return part === whole;
  const [some, all] = [part as Record<string, unknown>, whole as Record<string, unknown>];
  return (
    Object.keys(all).every(
      (key) =>
        (key in some ? isSubset(some[key], all[key]) : key === 'managedFields') &&
        !Array.isArray(part) === !Array.isArray(whole),
    ) && Object.keys(some).every((key) => key in all)
  );
}
