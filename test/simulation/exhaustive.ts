// The exhaustive part: every single fault at every call site of each operation, and all pairs for create and delete.
// A polled site is struck at its first calls only: later ones repeat the same state.

import { type Cells, countCells, WIRE_SITES } from './cells.ts';
import type { Strike } from './decisions.ts';
import { type Outcome, runScenario, SCENARIOS, type Scenario } from './scenarios.ts';

/** Swaps differ: the first may open, the second claim, the third record. */
const callsOf = (site: string, firstCalls: number): number =>
  site === 'kube journal swap' ? Math.max(3, firstCalls) : firstCalls;
const FIRST_CALLS = process.env.SIMULATE_EXHAUSTIVE === 'full' ? 3 : 1;

export type Found = { scenario: string; strikes: readonly Strike[]; outcome: Outcome };

/** Every cell that this operation can meet. */
async function strikesFor(scenario: Scenario, firstCalls = FIRST_CALLS): Promise<Strike[]> {
  const { calls, violation } = await runScenario(scenario, []);
  if (violation)
    throw new Error(`${scenario.name} without any fault breaks ${violation.invariant}: ${violation.message}`);
  const { strikes } = scenario;
  const isStruck = (site: string) => !strikes || FIRST_CALLS > 1 || strikes.includes(site);
  const met = [...calls].filter(([site]) => isStruck(site));
  return met.flatMap(([site, count]) =>
    (WIRE_SITES[site] ?? []).flatMap((kind) =>
      Array.from({ length: Math.min(count, callsOf(site, firstCalls)) }, (_, index) => ({
        site,
        occurrence: index + 1,
        kind,
      })),
    ),
  );
}

export async function singles(scenario: Scenario, cells: Cells): Promise<{ runs: number; found: Found[] }> {
  const found: Found[] = [];
  const strikes = await strikesFor(scenario);
  for (const strike of strikes) {
    const outcome = await runScenario(scenario, [strike]);
    countCells(cells, outcome.fired);
    if (outcome.violation) found.push({ scenario: scenario.name, strikes: [strike], outcome });
  }
  return { runs: strikes.length, found };
}

/** The calls around which all turns: claims, writes, records, live reads. */
const PAIRED =
  /^(otc (create|delete|backup|find by name|find by id)|kube (journal|live rds)|hook|loop status)/;
const PAIRED_KINDS = new Set([
  'timeout-after',
  'late',
  '500-after',
  '403',
  'kill-after',
  'kill-before',
  'lost-after',
  'lost-before',
  'empty-list',
  '409',
  'cut-at-once',
  'doubled',
  'answer-lost',
]);

/** Every `of`-th pair, from `part` on. */
export type Share = { part: number; of: number };

export async function pairs(
  scenario: Scenario,
  cells: Cells,
  share: Share,
): Promise<{ runs: number; found: Found[] }> {
  const found: Found[] = [];
  const strikes = (await strikesFor(scenario, 1)).filter(
    ({ site, kind }) => PAIRED.test(site) && PAIRED_KINDS.has(kind),
  );
  let runs = 0;
  let index = 0;
  for (const [at, first] of strikes.entries()) {
    for (const second of strikes.slice(at + 1)) {
      if (second.site === first.site) continue;
      index += 1;
      if (index % share.of !== share.part) continue;
      const outcome = await runScenario(scenario, [first, second]);
      runs += 1;
      countCells(cells, outcome.fired);
      if (outcome.violation) found.push({ scenario: scenario.name, strikes: [first, second], outcome });
    }
  }
  return { runs, found };
}

export const scenarioNamed = (name: string): Scenario => {
  const found = SCENARIOS.find((one) => one.name === name);
  if (!found) throw new Error(`no scenario ${name}`);
  return found;
};

export function tellFound({ scenario, strikes, outcome }: Found): string {
  const faults = strikes.map(({ site, occurrence, kind }) => `${site}#${occurrence}: ${kind}`).join(' and ');
  return `${scenario} with ${faults} breaks ${outcome.violation?.invariant}: ${outcome.violation?.message.slice(0, 300)}`;
}
