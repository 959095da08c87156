// Looks for the first violation: `node hunt.ts --schedules 400 --seconds 60 [--first 1]`; prints one line of JSON.
// Run by planted.ts in a copy of the project.

import { parseArgs } from 'node:util';
import { runScenario, SCENARIOS } from './scenarios.ts';
import { runSchedule } from './schedule.ts';
import type { Violation } from './violation.ts';

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
let found: { invariant: string; message: string; what: string } | undefined;
/** Lists that lie are rare in random schedules: each operation meets them here in turn. */
async function lie(turn: number): Promise<Violation | undefined> {
  const scenario = SCENARIOS[turn % SCENARIOS.length];
  const occurrence = 1 + Math.floor(turn / SCENARIOS.length);
  if (!scenario) return undefined;
  return (await runScenario(scenario, [{ site: 'otc find by id', occurrence, kind: 'empty-list' }]))
    .violation;
}

function judge(violation: Violation | undefined, what: string): void {
  tried += 1;
  if (!violation || found) return;
  const { invariant } = violation;
  if (wanted.size > 0 && !wanted.has(invariant)) others.push(`${what} ${invariant}`);
  else found = { invariant, message: violation.message.slice(0, 200), what };
}

for (let turn = 0; !found && tried < Number(values.schedules) && performance.now() < endsAt; turn += 1) {
  const { violation, seed } = await runSchedule(first + turn);
  judge(violation, `seed ${seed}`);
  if (!found) judge(await lie(turn), `lie ${turn}`);
}
console.log(JSON.stringify({ tried, found, others }));
