// The program of a SQL Job: makes databases, users and grants as wished for. It keeps nothing and may run
// any number of times.

import { writeFileSync } from 'node:fs';
import { SQL_JOB_PATHS } from '../rds/sql-wish.ts';
import { runSql } from './sql/run.ts';

const { SQL_WISH_DIR, SQL_LOGIN_DIR, SQL_DEADLINE_SECONDS, TERMINATION_LOG } = process.env;
const DEFAULT_DEADLINE_SECONDS = 240;

const { report, exitCode } = await runSql({
  folders: { wish: SQL_WISH_DIR ?? SQL_JOB_PATHS.wish, login: SQL_LOGIN_DIR ?? SQL_JOB_PATHS.login },
  deadlineMs: (Number(SQL_DEADLINE_SECONDS) || DEFAULT_DEADLINE_SECONDS) * 1_000,
  now: () => performance.now(),
  print: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
});
try {
  writeFileSync(TERMINATION_LOG ?? SQL_JOB_PATHS.termination, JSON.stringify(report));
} catch {
  // Outside of a pod nobody reads it; the last line printed says the same.
}
// A connection that hangs would keep the process.
process.exit(exitCode);
