// One container of the log Job: all lines of one log as JSON to stdout, progress to stderr, a report at the end,
// and its own token revoked as the last act.

import type { Clock } from '../../clock.ts';
import { CloudError } from '../../errors.ts';
import type { Call } from '../../otc/call.ts';
import type { JobAccess, TokenAccess } from '../../otc/cloud.ts';
import { openJobAccess, readJobAccess, revokeOwnToken } from '../../otc/job-access.ts';
import { type ErrorRow, fetchErrorLogPage, fetchSlowLogPage, type SlowRow } from '../../otc/rds-logs.ts';
import type { Send } from '../../otc/send.ts';
import type { LogReport } from '../../rds/log-report.ts';
import type { JobArguments } from './arguments.ts';
import { createPatience, isCredentialRefused, OutOfTime, type Patience } from './patience.ts';
import { readPages } from './read-pages.ts';
import { createTopQueries } from './top-queries.ts';

export type JobDeps = {
  args: JobArguments;
  /** Content of the mounted file. */
  credential: string;
  send: Send;
  clock: Clock;
  random: () => number;
  /** One line of stdout; resolves when the reader can take more. */
  print: (line: string) => Promise<void>;
  tell: (line: string) => void;
  /** Called with a function that ends the work early. */
  onStop: (stop: (because: string) => void) => void;
};

/** The cloud keeps no more lines than this. */
const KEPT_LINES = 2_000;
/** A call sent with a credential in its last seconds would be refused on the way. */
const LAST_SECONDS_MS = 5_000;
const REVOKE_MS = 10_000;

const NO_SLOW_LOG = 'SQL Server has no slow log.';

export async function runLogJob(deps: JobDeps): Promise<LogReport> {
  const { args, print, tell } = deps;
  const span = {
    log: args.log,
    from: new Date(args.fromMs).toISOString(),
    to: new Date(args.toMs).toISOString(),
  };
  let access: JobAccess | undefined;
  const count = { lines: 0 };
  let ending: Pick<LogReport, 'complete' | 'note'>;
  try {
    access = readJobAccess(deps.credential);
    tell(`from ${span.from} to ${span.to}`);
    ending = await printLog(deps, access, count);
  } catch (error) {
    if (!(error instanceof CloudError) && !(error instanceof OutOfTime)) throw error;
    ending = { complete: false, note: explained(error, count.lines) };
  } finally {
    if (access?.form === 'token') await endToken(access, deps);
  }
  const report: LogReport = { ...span, lines: count.lines, exitCode: ending.complete ? 0 : 1, ...ending };
  const { log, ...summary } = report;
  await print(JSON.stringify({ log, summary }));
  tell(`${count.lines} lines${report.note === undefined ? '' : `. ${report.note}`}`);
  return report;
}

async function printLog(
  deps: JobDeps,
  access: JobAccess,
  count: { lines: number },
): Promise<Pick<LogReport, 'complete' | 'note'>> {
  const { args, print, tell } = deps;
  if (args.log === 'slowlog' && args.engine === 'SQLServer') return { complete: true, note: NO_SLOW_LOG };
  const patience = patienceOf(deps, access);
  const call = openJobAccess(access, { ...deps, budget: patience });
  const top = createTopQueries(args.engine);
  const options = { patience, tell };
  for await (const rows of readPages<ErrorRow | SlowRow>({
    ...options,
    fetchPage: pagesOf(call, args, top),
  })) {
    for (const row of rows) {
      await print(JSON.stringify({ log: args.log, ...row }));
      count.lines += 1;
    }
  }
  if (args.log === 'slowlog' && args.top > 0)
    await print(JSON.stringify({ log: args.log, top: top.list(args.top) }));
  return count.lines >= KEPT_LINES
    ? {
        complete: true,
        note: `The cloud keeps only the newest ${KEPT_LINES} lines; older ones of the span are lost.`,
      }
    : { complete: true };
}

function pagesOf(call: Call, args: JobArguments, top: ReturnType<typeof createTopQueries>) {
  return async (page: number) => {
    if (args.log === 'errorlog') return fetchErrorLogPage(call, args.instanceId, args, page);
    const answer = await fetchSlowLogPage(call, args.instanceId, args, page);
    for (const row of answer.rows) top.add(row);
    return answer;
  };
}

function patienceOf({ args, clock, tell, onStop }: JobDeps, access: JobAccess): Patience {
  const deadlineMs = args.deadlineSeconds * 1_000;
  const lifeMs =
    access.form === 'keys' ? access.expiresAt - clock.now() - LAST_SECONDS_MS : Number.POSITIVE_INFINITY;
  const because =
    lifeMs < deadlineMs ? 'The credential expires' : `The deadline of ${args.deadlineSeconds} s has come`;
  const patience = createPatience({ clock, ms: Math.min(deadlineMs, lifeMs), because, tell });
  onStop(patience.stop);
  return patience;
}

function explained(error: CloudError | OutOfTime, lines: number): string {
  if (error instanceof OutOfTime) {
    const last = error.cause instanceof Error ? ` The last answer: ${error.cause.message}.` : '';
    return `${error.message} before all lines were read.${last}`;
  }
  if (isCredentialRefused(error)) {
    const when = lines > 0 ? 'in mid-run' : 'from the start';
    return `The credential was refused ${when}: it was revoked or has expired (${error.code}).`;
  }
  return `${error.message}.`;
}

/** The hook revokes it too; here it ends as soon as it is no longer needed. */
async function endToken(access: TokenAccess, deps: JobDeps): Promise<void> {
  const { clock, tell } = deps;
  const patience = createPatience({ clock, ms: REVOKE_MS, because: 'The time for it is over', tell });
  try {
    await patience.insist(() => revokeOwnToken(access, { ...deps, budget: patience }));
    tell('the token is revoked');
  } catch (error) {
    if (!(error instanceof CloudError) && !(error instanceof OutOfTime)) throw error;
    tell(`the token could not be revoked here: ${error.message}`);
  }
}
