// The same seed gives the same history, byte for byte.

import t from 'tap';
import { runSchedule } from './schedule.ts';

for (const seed of [2, 17, 4242]) {
  t.test(`seed ${seed} repeats itself`, async (t) => {
    const first = await runSchedule(seed, { keepLines: true });
    const second = await runSchedule(seed, { keepLines: true });
    t.equal(second.digest, first.digest);
    t.equal(second.lines.length, first.lines.length);
    t.ok(first.lines.length > 100, `${first.lines.length} lines`);
    const other = await runSchedule(seed + 1, { keepLines: true });
    t.not(other.digest, first.digest, 'another seed is another schedule');
  });
}

t.test('taking a decision out leaves the ones before it alone', async (t) => {
  const whole = await runSchedule(17);
  const last = whole.fired.at(-1);
  const rest = await runSchedule(17, { without: new Set([last?.key ?? '']) });
  const count = whole.fired.length - 1;
  t.same(rest.fired.slice(0, count), whole.fired.slice(0, count));
});
