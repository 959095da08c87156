// The words of `help`, from the same table that commands, options and completion come from.

import { COMMON } from './arguments.ts';
import type { Command, Option } from './command.ts';
import { wrapped } from './screen.ts';

const width = (words: readonly string[]): number => Math.max(...words.map(({ length }) => length)) + 2;

export function overview(commands: readonly Command[]): string {
  const column = width(commands.map(({ name }) => name));
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(column)}${summary}`);
  return `Databases of rds-pilot: look at them, and give the orders that it understands.

Usage: kubectl rds COMMAND [NAME] [OPTIONS]

${rows.join('\n')}

Every command takes:
${optionRows(COMMON)}

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not found, 4 no right, 5 no cluster or no CRD, 6 not in time.
More about one: kubectl rds help COMMAND
`;
}

export function commandHelp({ name, summary, synopsis, text, options, isOffline }: Command): string {
  const own = Object.keys(options).length > 0 ? `\nOptions:\n${optionRows(options)}\n` : '';
  const common = isOffline ? '' : `\nAs every command:\n${optionRows(COMMON)}\n`;
  return `kubectl rds ${name}: ${summary}.

Usage: kubectl rds ${name} ${synopsis}

${wrapped(text, 0)}
${own}${common}`;
}

function optionRows(options: Readonly<Record<string, Option>>): string {
  const rows = Object.entries(options).map(([name, { short, takes, means }]) => ({
    words: `${short ? `-${short}, ` : '    '}--${name}${takes ? ` ${takes}` : ''}`,
    means,
  }));
  const column = width(rows.map(({ words }) => words));
  return rows.map(({ words, means }) => `  ${words.padEnd(column)}${means}`).join('\n');
}
