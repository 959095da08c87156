// What a container of the log Job leaves behind: its termination message, read by the hook when the Job is over.

export const LOG_NAMES = ['errorlog', 'slowlog'] as const;
export type LogName = (typeof LOG_NAMES)[number];

export type LogReport = {
  log: LogName;
  lines: number;
  /** The span that was asked for. */
  from: string;
  to: string;
  /** Whether all lines of the span that the cloud still has were printed. */
  complete: boolean;
  exitCode: number;
  /** What a reader must know: why it failed, or why there is nothing. */
  note?: string;
};

/** Kubernetes keeps at most 4096 bytes of a message. */
const NOTE_MAX = 600;

export function writeLogReport(report: LogReport): string {
  const note = report.note === undefined ? {} : { note: report.note.slice(0, NOTE_MAX) };
  return JSON.stringify({ ...report, ...note });
}

/** undefined for anything that is not a report: a pod that was killed leaves none, or somebody else's words. */
export function readLogReport(message: string | undefined): LogReport | undefined {
  const value = parsed(message);
  if (!value) return undefined;
  const { log, lines, from, to, complete, exitCode, note } = value;
  const name = LOG_NAMES.find((one) => one === log);
  if (!name || typeof lines !== 'number' || !Number.isInteger(lines) || lines < 0) return undefined;
  if (typeof from !== 'string' || typeof to !== 'string' || typeof complete !== 'boolean') return undefined;
  if (typeof exitCode !== 'number' || !Number.isInteger(exitCode)) return undefined;
  return {
    log: name,
    lines,
    from: from.slice(0, 40),
    to: to.slice(0, 40),
    complete,
    exitCode,
    ...(typeof note === 'string' ? { note: note.slice(0, NOTE_MAX) } : {}),
  };
}

function parsed(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
