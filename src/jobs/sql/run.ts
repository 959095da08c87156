// A whole run: inputs, work, report, exit code.

import { setTimeout as sleep } from 'node:timers/promises';
import { SQL_REFUSED, type SqlReport } from '../../rds/sql-wish.ts';
import { readInputs } from './inputs.ts';
import { applyToMysql } from './mysql.ts';
import { applyToPostgres } from './postgres.ts';
import { reportOf } from './report.ts';
import { createWork, errorText, Fatal } from './work.ts';

export type RunOptions = {
  folders: { wish: string; login: string };
  deadlineMs: number;
  now(): number;
  print(line: Record<string, unknown>): void;
};

export async function runSql(options: RunOptions): Promise<{ report: SqlReport; exitCode: number }> {
  const { deadlineMs, now, print } = options;
  let work = createWork({ deadlineMs, now, print, secrets: [] });
  let fatal: string | undefined;
  try {
    const { wish, login, passwords, secrets } = readInputs(options.folders);
    work = createWork({ deadlineMs, now, print, secrets });
    const apply = wish.engine === 'MySQL' ? applyToMysql : applyToPostgres;
    await Promise.race([apply(wish, passwords, login, work), timeOver(deadlineMs)]);
  } catch (error) {
    fatal = work.withoutSecrets(error instanceof Fatal ? error.message : errorText(error));
  }
  const report = reportOf(work, fatal);
  print({ ended: fatal === undefined ? 'done' : 'stopped', ...report });
  const exitCode = fatal !== undefined ? 1 : report.failures.length + report.more > 0 ? SQL_REFUSED : 0;
  return { report, exitCode };
}

/** Whatever hangs: a server that takes a statement and never answers must not hold the Job. */
async function timeOver(deadlineMs: number): Promise<never> {
  await sleep(deadlineMs, undefined, { ref: false });
  throw new Fatal('the time was over before all was done');
}
