// Command line of a container: `logs.ts errorlog --instance <id> --engine MySQL --from <time> --to <time>`.
// Nothing secret is among it: the credential is in a file.

import { parseArgs } from 'node:util';
import { LOG_NAMES, type LogName } from '../../rds/log-report.ts';
import { ENGINES, type EngineName } from '../../rds/spec.ts';

export type JobArguments = {
  log: LogName;
  instanceId: string;
  engine: EngineName;
  fromMs: number;
  toMs: number;
  deadlineSeconds: number;
  /** How many of the slowest statements to list; 0 = none. */
  top: number;
  credentialFile: string;
  /** Kubernetes reads the last words of the container from here. */
  reportFile: string;
};

export class ArgumentError extends Error {}

export function readArguments(argv: readonly string[]): JobArguments {
  const { values, positionals } = parsed(argv);
  const required = (name: keyof typeof values): string => {
    const value = values[name];
    if (value === undefined) throw new ArgumentError(`--${name} is missing`);
    return value;
  };
  const log = LOG_NAMES.find((name) => name === positionals[0]);
  if (!log || positionals.length !== 1) throw new ArgumentError(`say one of ${LOG_NAMES.join(', ')}`);
  const engine = ENGINES.find((name) => name === required('engine'));
  if (!engine) throw new ArgumentError(`--engine must be one of ${ENGINES.join(', ')}`);
  const [fromMs, toMs] = [moment('from', required('from')), moment('to', required('to'))];
  if (fromMs > toMs) throw new ArgumentError('--from is after --to');
  return {
    log,
    engine,
    instanceId: required('instance'),
    fromMs,
    toMs,
    deadlineSeconds: number('deadline-seconds', required('deadline-seconds')),
    top: number('top', values.top ?? '0'),
    credentialFile: required('credential-file'),
    reportFile: values['report-file'] ?? '/dev/termination-log',
  };
}

function parsed(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = {
    instance: text,
    engine: text,
    from: text,
    to: text,
    top: text,
    'deadline-seconds': text,
    'credential-file': text,
    'report-file': text,
  };
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    throw new ArgumentError(error instanceof Error ? error.message : 'unreadable');
  }
}

function moment(name: string, value: string): number {
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) throw new ArgumentError(`--${name} is no time`);
  return ms;
}

function number(name: string, value: string): number {
  if (!/^\d{1,6}$/.test(value)) throw new ArgumentError(`--${name} is no number`);
  return Number(value);
}
