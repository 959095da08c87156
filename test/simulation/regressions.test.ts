// Whatever ever failed stays green: seeds, and schedules that were kept as data.

import t from 'tap';
import { keptSchedules, runKept } from './kept.ts';
import { REGRESSIONS } from './regressions.ts';
import { type Result, runSchedule } from './schedule.ts';

const told = ({ violation }: Result) =>
  violation && `${violation.invariant}: ${violation.message.slice(0, 400)}`;

for (const { seed, invariant, was } of REGRESSIONS) {
  t.test(`seed ${seed} (${invariant}: ${was})`, async (t) => {
    t.equal(told(await runSchedule(seed)), undefined);
  });
}

for (const [name, kept] of keptSchedules()) {
  t.test(`kept ${name} (${kept.invariant}: ${kept.was})`, async (t) => {
    const result = await runKept(kept);
    t.equal(told(result), undefined);
    const { steps } = kept.course.plan;
    const struck = new Set(result.fired.map(({ key }) => key));
    t.ok(
      steps.some(({ key }) => struck.has(key)),
      'it still happens',
    );
  });
}
