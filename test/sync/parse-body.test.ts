// The short way to read a body gives what JSON gives, or leaves the word to Fastify's parser.

import fc from 'fast-check';
import t from 'tap';
import { createQuickParse } from '../../src/sync/parse-body.ts';

t.test('what could poison a prototype is left to the parser that refuses it', async (t) => {
  const parse = createQuickParse();
  for (const name of ['__proto__', '\\u005f_proto__', 'constructor', 'c\\u006fnstructor'])
    t.equal(parse(`{"parent":{"${name}":{"prototype":{}}}}`), undefined, name);
});

t.test('what is no JSON is left to the parser that says so', async (t) => {
  const parse = createQuickParse();
  for (const text of ['', '{', '\ufeff{}', '{"a":1} more']) t.equal(parse(text), undefined, text);
});

t.test('everything else reads as JSON does', async () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify({ value });
      const parsed = createQuickParse()(text);
      return parsed === undefined
        ? /__proto__|constructor|\\u00/.test(text)
        : JSON.stringify(parsed) === JSON.stringify(JSON.parse(text));
    }),
  );
});
