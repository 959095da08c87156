// The program of a drill's Job: logs in to a restored instance and asks the questions of the spec. It changes nothing
// and may run any number of times.

import { writeFileSync } from 'node:fs';
import { DRILL_JOB_PATHS } from '../rds/drill-wish.ts';
import { runDrill } from './drill/run.ts';

const { DRILL_DIR, DRILL_DEADLINE_SECONDS, TERMINATION_LOG } = process.env;
const DEFAULT_DEADLINE_SECONDS = 240;

const { report, exitCode } = await runDrill({
  folder: DRILL_DIR ?? DRILL_JOB_PATHS.files,
  deadlineMs: (Number(DRILL_DEADLINE_SECONDS) || DEFAULT_DEADLINE_SECONDS) * 1_000,
  now: () => performance.now(),
  print: (line) => process.stdout.write(`${JSON.stringify(line)}\n`),
});
try {
  writeFileSync(TERMINATION_LOG ?? DRILL_JOB_PATHS.termination, JSON.stringify(report));
} catch {
  // Outside of a pod nobody reads it; the last line printed says the same.
}
// A connection that hangs would keep the process.
process.exit(exitCode);
