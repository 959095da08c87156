// Looks for the first violation: `node hunt.ts --schedules 400 --seconds 60 [--first 1]`; prints one line of JSON.
// Run by planted.ts in a copy of the project.

import { parseArgs } from 'node:util';
import { runSchedule } from './schedule.ts';

const { values } = parseArgs({
  options: {
    schedules: { type: 'string', default: '400' },
    seconds: { type: 'string', default: '60' },
    first: { type: 'string', default: '1' },
    /** Only these invariants count, separated by commas; all when empty. */
    breaks: { type: 'string', default: '' },
  },
});
const first = Number(values.first);
const wanted = new Set(values.breaks === '' ? [] : values.breaks.split(','));
const others: string[] = [];
const endsAt = performance.now() + Number(values.seconds) * 1000;
let tried = 0;
let found: { invariant: string; message: string; seed: number } | undefined;
while (!found && tried < Number(values.schedules) && performance.now() < endsAt) {
  const { violation, seed } = await runSchedule(first + tried);
  tried += 1;
  if (violation && wanted.size > 0 && !wanted.has(violation.invariant))
    others.push(`${seed} ${violation.invariant}`);
  else if (violation)
    found = { invariant: violation.invariant, message: violation.message.slice(0, 200), seed };
}
console.log(JSON.stringify({ tried, found, others }));
