import fc from 'fast-check';
import t from 'tap';
import { pruned } from '../../src/rds/prune.ts';
import { RdsSpecSchema } from '../../src/rds/spec.ts';
import { RdsStatusSchema } from '../../src/rds/status.ts';

t.test('what the schema does not know vanishes, however deep', async (t) => {
  const given = {
    id: 'i-1',
    unknown: 1,
    binding: { name: 'x', unknown: 2 },
    plan: [{ field: 'f', unknown: 3 }],
    handled: { 'otc.mcsps.de/restart': 'monday' },
  };
  t.same(pruned(given, RdsStatusSchema), {
    id: 'i-1',
    binding: { name: 'x' },
    plan: [{ field: 'f' }],
    handled: { 'otc.mcsps.de/restart': 'monday' },
  });
});

t.test('the keys of a map are the user’s and stay', async (t) => {
  t.same(pruned({ tags: { a: 'b' }, parameters: {} }, RdsSpecSchema), { tags: { a: 'b' }, parameters: {} });
});

t.test('a wrong type is left for the validation to tell', async (t) => {
  const given = { id: 7, conditions: 'none', plan: [null], binding: null };
  t.same(pruned(given, RdsStatusSchema), given);
  t.same(pruned([1], {}), [1]);
  t.equal(pruned('text', RdsStatusSchema), 'text');
});

t.test('pruning twice is pruning once, and never adds anything', async (t) => {
  fc.assert(
    fc.property(fc.object(), (given) => {
      const once = pruned({ ...given, id: 'i-1' }, RdsStatusSchema) as Record<string, unknown>;
      t.strictSame(pruned(once, RdsStatusSchema), once);
      t.ok(Object.keys(once).every((name) => name === 'id' || name in given));
    }),
    { numRuns: 50 },
  );
});
