// All scenarios on one engine: the quiet ones side by side, then those that disturb everybody one by one.
import type { Arena } from './arena.ts';
import { type Result, runScenario } from './run-scenario.ts';
import type { Scenario } from './scenario.ts';

export type Suite = { results: Map<string, Promise<Result>>; done: Promise<void> };

/** Starts at once; every result can be awaited on its own. */
export function startSuite(arena: Promise<Arena>, scenarios: readonly Scenario[]): Suite {
  const results = new Map<string, Promise<Result>>();
  const quiet = scenarios.filter(({ exclusive }) => !exclusive);
  for (const scenario of quiet)
    results.set(
      scenario.name,
      arena.then((ready) => runScenario(ready, scenario)),
    );
  let before: Promise<unknown> = Promise.all(results.values());
  for (const scenario of scenarios.filter(({ exclusive }) => exclusive)) {
    const result = before.then(() => arena).then((ready) => runScenario(ready, scenario));
    results.set(scenario.name, result);
    before = result;
  }
  return { results, done: before.then(() => {}) };
}
