// What a command is: its words for help and completion, its options, and a function of a small world.

import type { Clock } from '../clock.ts';
import type { Cluster } from './cluster.ts';
import type { ExitCode } from './failure.ts';
import type { Paint } from './screen.ts';

export type Option = { short?: string; takes?: string; means: string; choices?: readonly string[] };

export type Output = 'table' | 'json' | 'yaml';

/** Everything that a command may touch. */
export type World = {
  env: Record<string, string | undefined>;
  clock: Clock;
  paint: Paint;
  out(text: string): void;
  /** Progress and advice: never mixed with what a pipe reads. */
  tell(line: string): void;
  /** Throws where nobody can be asked. */
  confirm(question: string): Promise<boolean>;
  connect(): Promise<Cluster>;
  version: string;
};

export type Given = {
  names: readonly string[];
  flags: Readonly<Record<string, string | boolean | undefined>>;
  output: Output;
};

export type Command = {
  name: string;
  summary: string;
  /** What stands behind the name of the command, as in `[NAME]`. */
  synopsis: string;
  /** More than the summary, for `help NAME`. */
  text: string;
  /** How many names: at least, at most. */
  takes: readonly [least: number, most: number];
  /** What the first name may be, for completion. */
  completes?: 'rds' | 'reason' | 'shell' | 'command';
  options: Readonly<Record<string, Option>>;
  outputs: readonly Output[];
  /** A command that talks to no cluster. */
  isOffline?: true;
  run(given: Given, world: World): Promise<ExitCode>;
};

export const textFlag = ({ flags }: Given, name: string): string | undefined => {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
};

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

export const YES: Option = { short: 'y', means: 'do not ask' };
export const TIMEOUT: Option = { takes: 'DURATION', means: 'give up waiting after this long, as in 10m' };
export const NO_WAIT: Option = { means: 'give the order and return' };
