// Looks for the first violation: `node hunt.ts --schedules 400 --seconds 60 [--first 1]`; prints one line of JSON.
// Run by planted.ts in a copy of the project.

import { parseArgs } from 'node:util';
import type { Strike } from './decisions.ts';
import { CLAIMED_SITES } from './otc-sites.ts';
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
/** What is rare in random schedules meets every operation here in turn: lost answers, lists that lie, lost records. */
const writes = [...CLAIMED_SITES];
const LISTS = ['otc find by id', 'otc find by name'];
const AIMED: { kind: string; sites: readonly string[]; occurrence: number }[] = [
  { kind: '500-after', sites: writes, occurrence: 1 },
  { kind: 'timeout-after', sites: writes, occurrence: 1 },
  { kind: 'empty-list', sites: LISTS, occurrence: 1 },
  { kind: '500-before', sites: ['kube journal swap'], occurrence: 2 },
  { kind: '500-before', sites: ['kube journal swap'], occurrence: 1 },
  { kind: '500-before', sites: ['kube journal swap'], occurrence: 3 },
  { kind: 'failed-backup', sites: ['otc backup'], occurrence: 1 },
  { kind: 'late', sites: writes, occurrence: 1 },
  { kind: 'empty-list', sites: LISTS, occurrence: 2 },
];
const operations = SCENARIOS.filter(({ strikes }) => strikes === undefined);
const calm = SCENARIOS.map((scenario) => ({ scenario, strikes: [] as Strike[] }));
const struck = operations.flatMap((scenario) =>
  AIMED.map(({ kind, sites, occurrence }) => ({
    scenario,
    strikes: sites.map((site) => ({ site, occurrence, kind })),
  })),
);

async function aim(aims: typeof calm, turn: number): Promise<Violation | undefined> {
  const aimed = aims[turn];
  return aimed && (await runScenario(aimed.scenario, aimed.strikes)).violation;
}

function judge(violation: Violation | undefined, what: string): void {
  tried += 1;
  if (!violation || found) return;
  const { invariant } = violation;
  if (wanted.size > 0 && !wanted.has(invariant)) others.push(`${what} ${invariant}`);
  else found = { invariant, message: violation.message.slice(0, 200), what };
}

const isOver = () => found || tried >= Number(values.schedules) || performance.now() >= endsAt;
for (let turn = 0; !isOver(); turn += 1) {
  const { violation, seed } = await runSchedule(first + turn);
  judge(violation, `seed ${seed}`);
  for (const aims of [calm, struck]) if (!isOver()) judge(await aim(aims, turn), `aimed ${turn}`);
}
console.log(JSON.stringify({ tried, found, others }));
