// Looks for the first violation: `node hunt.ts --schedules 400 --seconds 60 [--first 1]`; prints one line of JSON.
// Run by planted.ts in a copy of the project.

import { parseArgs } from 'node:util';
import { BACKUP_SCENARIOS } from './backup-scenarios.ts';
import type { Strike } from './decisions.ts';
import { DRILL_SCENARIOS } from './drill-scenarios.ts';
import { JOB_SCENARIOS } from './job-scenarios.ts';
import { CLAIMED_SITES, CREDENTIAL_SITES } from './otc-sites.ts';
import { ROTATION_SCENARIOS } from './rotation-scenarios.ts';
import { runScenario, SCENARIOS, type Scenario } from './scenarios.ts';
import { runSchedule } from './schedule.ts';
import { SHARE_SCENARIOS } from './share-scenarios.ts';
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
const otherwise: string[] = [];
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
const AIMED_AT_JOBS: typeof AIMED = [
  { kind: '503', sites: [...CREDENTIAL_SITES], occurrence: 1 },
  { kind: 'cut-at-once', sites: ['hook /sync'], occurrence: 1 },
  { kind: 'timeout-after', sites: [...CREDENTIAL_SITES, 'otc login'], occurrence: 1 },
];
const AIMED_AT_BACKUPS: typeof AIMED = [1, 2, 3].map((occurrence) => ({
  kind: 'empty-list',
  sites: ['otc backups'],
  occurrence,
}));
type Aim = { scenario: Scenario; strikes: readonly Strike[] };

const calmly = (scenario: Scenario): Aim => ({ scenario, strikes: [] });
const aimedAt = (scenarios: readonly Scenario[], aims: typeof AIMED): Aim[] =>
  scenarios.flatMap((scenario) =>
    aims.map(({ kind, sites, occurrence }) => ({
      scenario,
      strikes: sites.map((site) => ({ site, occurrence, kind })),
    })),
  );
/** One of these, one of those. */
const inTurn = (these: readonly Aim[], those: readonly Aim[]): Aim[] =>
  these.flatMap((one, index) => [one, ...those.slice(index, index + 1)]).concat(those.slice(these.length));

/** The first Jobs of a rotation make a login and close one. */
const AIMED_AT_ROTATION: typeof AIMED = ['killed', 'killed-after', 'late', 'never'].flatMap((kind) =>
  [1, 2].map((occurrence) => ({ kind, sites: ['pod sql'], occurrence })),
);
const AIMED_AT_ALARMS: typeof AIMED = [1, 2, 3].map((occurrence) => ({
  kind: 'late',
  sites: ['otc alarm create'],
  occurrence,
}));
const watched = SCENARIOS.filter(({ name }) => name.startsWith('watched'));
const withJobs = [...ROTATION_SCENARIOS, ...JOB_SCENARIOS, ...DRILL_SCENARIOS];
const others = SCENARIOS.filter(
  (scenario) => ![...withJobs, ...watched, ...SHARE_SCENARIOS, ...BACKUP_SCENARIOS].includes(scenario),
);
/** A change like others, but it makes an instance. */
const operations = others
  .filter(({ strikes, name }) => strikes === undefined || name === 'otc replica')
  .toSorted((a, b) => Number(b.name === 'otc replica') - Number(a.name === 'otc replica'));
const withChildren = inTurn(
  withJobs.map(calmly),
  inTurn(SHARE_SCENARIOS.map(calmly), BACKUP_SCENARIOS.map(calmly)),
);
const calm = inTurn(inTurn(others.map(calmly), watched.map(calmly)), withChildren);
const struck = inTurn(aimedAt(operations, AIMED), [
  ...aimedAt(ROTATION_SCENARIOS.slice(0, 1), AIMED_AT_ROTATION),
  ...aimedAt(
    watched.filter(({ strikes }) => strikes?.includes('otc alarm create')),
    AIMED_AT_ALARMS,
  ),
  ...aimedAt(JOB_SCENARIOS, AIMED_AT_JOBS),
  ...aimedAt(BACKUP_SCENARIOS, AIMED_AT_BACKUPS),
  ...aimedAt([...DRILL_SCENARIOS, ...BACKUP_SCENARIOS], AIMED),
]);

async function aim(aims: readonly Aim[], turn: number): Promise<Violation | undefined> {
  const aimed = aims[turn];
  return aimed && (await runScenario(aimed.scenario, aimed.strikes)).violation;
}

function judge(violation: Violation | undefined, what: string): void {
  tried += 1;
  if (!violation || found) return;
  const { invariant } = violation;
  if (wanted.size > 0 && !wanted.has(invariant)) otherwise.push(`${what} ${invariant}`);
  else found = { invariant, message: violation.message.slice(0, 200), what };
}

const isOver = () => found || tried >= Number(values.schedules) || performance.now() >= endsAt;
for (let turn = 0; !isOver(); turn += 1) {
  const { violation, seed } = await runSchedule(first + turn);
  judge(violation, `seed ${seed}`);
  for (const aims of [calm, struck]) if (!isOver()) judge(await aim(aims, turn), `aimed ${turn}`);
}
console.log(JSON.stringify({ tried, found, others: otherwise }));
