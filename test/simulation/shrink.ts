// Makes a failing schedule small: takes decisions out as long as the same invariant still breaks.

import { type Result, runSchedule } from './schedule.ts';

export type Run = (without: ReadonlySet<string>) => Promise<Result>;

/** Delta debugging: large pieces first, then one by one until nothing more can go. */
async function shrink(
  first: Result,
  run: Run,
  budget = 400,
): Promise<{ result: Result; without: Set<string> }> {
  const without = new Set<string>();
  const { invariant } = first.violation ?? {};
  let best = first;
  let runs = 0;

  async function tryWithout(keys: readonly string[]): Promise<boolean> {
    runs += 1;
    const candidate = await run(new Set([...without, ...keys]));
    if (candidate.violation?.invariant !== invariant) return false;
    for (const key of keys) without.add(key);
    best = candidate;
    return true;
  }

  const remaining = () => best.fired.map(({ key }) => key).filter((key) => !without.has(key));
  for (let size = Math.ceil(remaining().length / 2); size >= 1 && runs < budget; ) {
    let isSmaller = false;
    for (let start = 0; start < remaining().length && runs < budget; ) {
      const piece = remaining().slice(start, start + size);
      if (await tryWithout(piece)) isSmaller = true;
      else start += size;
    }
    if (size === 1 && !isSmaller) break;
    if (!isSmaller || size > 1) size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return { result: best, without };
}

export const shrinkSeed = (first: Result): Promise<{ result: Result; without: Set<string> }> =>
  shrink(first, (without) => runSchedule(first.seed, { without }));
