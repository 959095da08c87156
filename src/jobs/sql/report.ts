// The end of a run in at most 4096 bytes: what does not fit is counted.

import type { SqlReport } from '../../rds/sql-wish.ts';
import type { Work } from './work.ts';

const MAX_BYTES = 4_000;
const MAX_WHY = 400;

const cut = (text: string, length: number): string =>
  text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;

export function reportOf(work: Pick<Work, 'changed' | 'failures'>, fatal: string | undefined): SqlReport {
  const report: SqlReport = {
    changed: work.changed,
    ...(fatal === undefined ? {} : { fatal: cut(fatal, 2 * MAX_WHY) }),
    failures: work.failures.map(({ what, why }) => ({ what: cut(what, MAX_WHY), why: cut(why, MAX_WHY) })),
    more: 0,
  };
  while (new TextEncoder().encode(JSON.stringify(report)).length > MAX_BYTES && report.failures.pop())
    report.more += 1;
  return report;
}
