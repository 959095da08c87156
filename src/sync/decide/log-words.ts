// What people and programs are told about the last order for logs: a copy of the journal in status, and a condition.

import { type ConditionWish, findCondition, isoTime } from '../../rds/conditions.ts';
import type { JobEnd } from '../../rds/job-state.ts';
import type { Journal } from '../../rds/journal.ts';
import {
  type ContainerResult,
  describeSpan,
  JOB_DEADLINE_SECONDS,
  type LogOrder,
  type LogResult,
  logJobName,
} from '../../rds/log-order.ts';
import { LOG_NAMES, type LogName, type LogReport, readLogReport } from '../../rds/log-report.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { Observed } from './observed.ts';
import { failureText } from './words.ts';

/** `end` is undefined for a Job that never ended; `messages` are what its containers left, by name. */
export function logResult(end: JobEnd | undefined, messages: Readonly<Record<string, string>>): LogResult {
  const reports = LOG_NAMES.map((log) => ({ log, report: reportOf(log, messages) }));
  const isUnread = reports.every(({ report }) => report === undefined);
  const containers = reports.map(({ log, report }) => containerResult(log, report, isUnread));
  const notes = containers.flatMap(({ log, note }) => (note === undefined ? [] : [`${log}: ${note}`]));
  const isComplete = isUnread || reports.every(({ report }) => report?.complete);
  const unread = isUnread ? ['What its containers left could not be read.'] : [];
  const message = [...outcome(end), ...notes, ...unread].join(' ');
  return {
    state: end?.succeeded && isComplete ? 'Succeeded' : 'Failed',
    ...(isUnread ? {} : { containers }),
    ...(message === '' ? {} : { message }),
  };
}

function outcome(end: JobEnd | undefined): string[] {
  if (!end) return ['The Job did not end before its credential did.'];
  if (end.succeeded) return [];
  return end.because.startsWith('DeadlineExceeded')
    ? [`The Job did not end within ${JOB_DEADLINE_SECONDS} s.`]
    : [];
}

function containerResult(log: LogName, report: LogReport | undefined, isUnread: boolean): ContainerResult {
  if (!report)
    return isUnread ? { log } : { log, note: 'It was killed or could not start: it left no report.' };
  const { lines, exitCode, note } = report;
  return { log, lines, exitCode, ...(note === undefined ? {} : { note }) };
}

function reportOf(log: LogName, messages: Readonly<Record<string, string>>): LogReport | undefined {
  const report = readLogReport(messages[log]);
  return report?.log === log ? report : undefined;
}

type LogJobStatus = NonNullable<RdsStatus['logJob']>;

/** A copy for people and for cheap looks. */
export function logJobStatus(rds: Observed['rds'], { logs }: Journal): LogJobStatus | undefined {
  if (!logs) return undefined;
  const { result } = logs;
  const part = (log: LogName) => {
    const found = result?.containers?.find((one) => one.log === log);
    if (!found) return {};
    const { log: _key, ...told } = found;
    return { [log]: told };
  };
  const refused = result?.state === 'Refused';
  return {
    ...(refused ? {} : { name: logJobName(rds.metadata, logs.order, logs.attempt) }),
    state: stateWord(logs),
    from: isoTime(logs.fromMs),
    to: isoTime(logs.toMs),
    ...part('errorlog'),
    ...part('slowlog'),
    ...(result?.message === undefined ? {} : { message: result.message }),
  };
}

function stateWord({ state, result }: LogOrder): LogJobStatus['state'] {
  if (state === 'wanted') return 'Waiting';
  return state === 'running' ? 'Running' : (result?.state ?? 'Failed');
}

/** Nothing for an Rds whose logs were never ordered. */
export function logsCondition(o: Observed): ConditionWish[] {
  if (typeof o.journal !== 'object' || 'unavailable' in o.journal) return toldBefore(o);
  const { logs } = o.journal;
  if (!logs) return [];
  const type = 'LogsFetched' as const;
  const job = logJobName(o.rds.metadata, logs.order, logs.attempt);
  const { result } = logs;
  const why = result?.message === undefined ? '' : ` ${result.message}`;
  switch (stateWord(logs)) {
    case 'Waiting':
      return [{ type, status: 'Unknown', reason: 'LogsWaiting', message: waiting(o) }];
    case 'Running':
      return [{ type, status: 'Unknown', reason: 'LogsRunning', message: `Job ${job} reads the logs.` }];
    case 'Refused':
      return [{ type, status: 'False', reason: 'LogsRefused', message: why.trim() }];
    case 'Succeeded':
      return [{ type, status: 'True', reason: 'LogsRead', message: `${readable(logs, job)}${why}` }];
    case 'Failed':
      return [{ type, status: 'False', reason: 'LogsFailed', message: `Job ${job} failed.${why}` }];
  }
}

/** The journal was not read: what was told still holds, for the present generation too. */
function toldBefore({ rds }: Observed): ConditionWish[] {
  const told = findCondition(rds.status?.conditions, 'LogsFetched');
  if (!told) return [];
  const { type, status, reason, message } = told;
  return [{ type, status, reason, message } as ConditionWish];
}

function readable(logs: LogOrder, job: string): string {
  const counts = (logs.result?.containers ?? [])
    .filter(({ lines }) => lines !== undefined)
    .map(({ log, lines }) => `${log} ${lines} lines`);
  const what = counts.length > 0 ? `${counts.join(', ')}, ` : '';
  return `${what}${describeSpan(logs)}: read them with kubectl logs job/${job} -c errorlog (or slowlog) within a day.`;
}

function waiting({ logs }: Observed): string {
  const failure = logs?.failure;
  return failure
    ? `The order waits for a credential: ${failureText({ ...failure, requestId: undefined })}.`
    : 'The order waits for a credential.';
}
