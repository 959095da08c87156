// What a run has shown so far. One count for all phases: an assertion of a test, or a check, is one.

export type Failure = { where: string; what: string; detail: string };
export type Skip = { where: string; what: string; reason: string };
export type Tally = { passed: number; failures: Failure[]; skips: Skip[] };

export type FileResult = { file: string; ms: number; tally: Tally };

export const emptyTally = (): Tally => ({ passed: 0, failures: [], skips: [] });

export function add(sum: Tally, { passed, failures, skips }: Tally): void {
  sum.passed += passed;
  sum.failures.push(...failures);
  sum.skips.push(...skips);
}

export function closingLine({ passed, failures, skips }: Tally): string {
  const skipped = skips.length === 0 ? '' : `, ${skips.length} skipped`;
  return `${passed} passed, ${failures.length} failed${skipped}`;
}

/** For one file, where `0 failed` would be noise. */
export const summaryOf = (tally: Tally): string => closingLine(tally).replace(', 0 failed', '');

/** Nothing tested is not a success. */
export const isGood = ({ passed, failures }: Tally): boolean => failures.length === 0 && passed > 0;

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`.padStart(8);

export const indented = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `      ${line}`.trimEnd())
    .join('\n');
