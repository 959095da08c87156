import fc from 'fast-check';
import t from 'tap';
import {
  CONDITION_TYPES,
  type ConditionWish,
  findCondition,
  isoTime,
  setConditions,
} from '../../src/rds/conditions.ts';
import { REASONS, type Reason } from '../../src/rds/reasons.ts';

const NOON = Date.parse('2026-11-16T12:00:00Z');
const LATER = NOON + 90_000;

const wish = (more: Partial<ConditionWish> = {}): ConditionWish => ({
  type: 'Ready',
  status: 'False',
  reason: 'Creating',
  message: 'The cloud builds the instance.',
  ...more,
});

t.test('a time is told in whole seconds, as Kubernetes stores it', async (t) => {
  t.equal(isoTime(NOON + 999), '2026-11-16T12:00:00Z');
});

t.test('the time of a transition moves only when the status flips', async (t) => {
  const before = setConditions([], [wish()], { nowMs: NOON, generation: 1 });
  const table = [
    { given: wish(), want: NOON, because: 'nothing changed' },
    { given: wish({ reason: 'Busy' }), want: NOON, because: 'another reason is no flip' },
    { given: wish({ message: 'Other words.' }), want: NOON, because: 'other words are no flip' },
    { given: wish({ status: 'True', reason: 'Available' }), want: LATER, because: 'False became True' },
    { given: wish({ status: 'Unknown' }), want: LATER, because: 'False became Unknown' },
  ];
  for (const { given, want, because } of table) {
    const after = setConditions(before, [given], { nowMs: LATER, generation: 2 });
    t.equal(after.length, 1, 'one condition per type');
    t.match(after[0], { ...given, lastTransitionTime: isoTime(want), observedGeneration: 2 }, because);
  }
});

t.test('conditions that nobody speaks of stay as they were', async (t) => {
  const before = setConditions([], [wish({ type: 'Synced' })], { nowMs: NOON, generation: 1 });
  const after = setConditions(before, [wish()], { nowMs: LATER, generation: 2 });
  t.same(findCondition(after, 'Synced'), before[0]);
  t.equal(findCondition(after, 'Progressing'), undefined);
  t.equal(findCondition(undefined, 'Ready'), undefined);
});

t.test('the later of two wishes for one type counts, and takes no detour over the first', async (t) => {
  const before = setConditions([], [wish()], { nowMs: NOON, generation: 1 });
  const both = [wish({ status: 'True', reason: 'Available' }), wish()];
  t.same(setConditions(before, both, { nowMs: LATER, generation: 1 }), before);
});

t.test('a message longer than the CRD allows is cut', async (t) => {
  const [made] = setConditions([], [wish({ message: 'x'.repeat(5_000) })], { nowMs: NOON, generation: 1 });
  t.equal(made?.message.length, 4_096);
});

const wishes = fc.array(
  fc.record({
    type: fc.constantFrom(...CONDITION_TYPES),
    status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
    reason: fc.constantFrom(...(Object.keys(REASONS) as Reason[])),
    message: fc.string(),
  }),
  { maxLength: 8 },
);

t.test('saying the same again later changes nothing, so that a settled Rds writes no status', async (t) => {
  fc.assert(
    fc.property(wishes, wishes, fc.nat(1_000_000), (first, second, passed) => {
      const before = setConditions([], first, { nowMs: NOON, generation: 3 });
      const once = setConditions(before, second, { nowMs: NOON, generation: 3 });
      const twice = setConditions(once, second, { nowMs: NOON + passed, generation: 3 });
      t.strictSame(twice, once);
    }),
  );
});

t.test('there is one condition per type, always in the same order', async () => {
  fc.assert(
    fc.property(wishes, (given) => {
      const moment = { nowMs: NOON, generation: 1 };
      const types = setConditions([], given, moment).map(({ type }) => type);
      const reversed = setConditions(setConditions([], given, moment).reverse(), [], moment);
      return (
        new Set(types).size === types.length &&
        types.join() === reversed.map(({ type }) => type).join() &&
        types.length === new Set(given.map(({ type }) => type)).size
      );
    }),
  );
});

t.test('every reason says what it means and what to do, in sentences', async (t) => {
  for (const [reason, { means, remedy }] of Object.entries(REASONS)) {
    t.match(reason, /^[A-Z][A-Za-z]+$/, `${reason} is CamelCase`);
    t.match(means, /^\S.*\.$/, `${reason} has a meaning`);
    t.match(remedy, /^\S.*\.$/, `${reason} has a remedy`);
  }
});
