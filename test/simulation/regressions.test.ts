// Every seed that ever failed stays green.

import t from 'tap';
import { REGRESSIONS } from './regressions.ts';
import { runSchedule } from './schedule.ts';

for (const { seed, invariant, was } of REGRESSIONS) {
  t.test(`seed ${seed} (${invariant}: ${was})`, async (t) => {
    const { violation } = await runSchedule(seed);
    t.equal(violation && `${violation.invariant}: ${violation.message.slice(0, 400)}`, undefined);
  });
}
