// Same as JSON: judged against the text with sorted keys.

import fc from 'fast-check';
import t from 'tap';
import { deepEqual } from '../../src/rds/deep-equal.ts';

type Value = unknown;

const sorted = (value: Value): Value => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  );
};
const textOf = (value: Value): string => JSON.stringify(sorted(value));

/** Few names and few values, so that two of them are often the same. */
const { value: json } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(0, 1, true, 'a', '', null),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 2, noNullPrototype: true }),
  ),
}));

t.test('two values are the same when their texts are', async (t) => {
  fc.assert(
    fc.property(json, json, (left, right) => deepEqual(left, right) === (textOf(left) === textOf(right))),
    { numRuns: 2_000 },
  );
  fc.assert(fc.property(json, (one) => deepEqual(one, JSON.parse(JSON.stringify(one)))));
  t.pass();
});

t.test('a field that is undefined is as good as missing, on either side', async (t) => {
  t.ok(deepEqual({ a: 1, b: undefined }, { a: 1 }));
  t.ok(deepEqual({ a: 1 }, { a: 1, b: undefined }));
  t.ok(deepEqual({ b: undefined }, { c: undefined }));
  t.notOk(deepEqual({ a: null }, {}));
  t.notOk(deepEqual({ a: 1, b: undefined }, { a: 1, c: 2 }));
});

t.test('lists are no maps, and their order counts', async (t) => {
  t.notOk(deepEqual([], {}));
  t.notOk(deepEqual({}, []));
  t.notOk(deepEqual(['a', 'b'], ['b', 'a']));
  t.notOk(deepEqual(null, {}));
});
