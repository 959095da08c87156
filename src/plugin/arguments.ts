// The words behind `kubectl rds`, checked against what the command takes; every complaint says what would be right.

import { parseArgs } from 'node:util';
import type { Command, Given, Option, Output } from './command.ts';
import { Failure, usage } from './failure.ts';
import { didYouMean } from './near-names.ts';

/** Every command knows these. */
export const COMMON: Readonly<Record<string, Option>> = {
  namespace: { short: 'n', takes: 'NAME', means: 'namespace; that of the context by default' },
  context: { takes: 'NAME', means: 'context of the kubeconfig' },
  kubeconfig: { takes: 'FILE', means: 'kubeconfig; $KUBECONFIG or ~/.kube/config by default' },
  output: { short: 'o', takes: 'FORMAT', means: 'json for programs' },
  help: { short: 'h', means: 'what the command does and takes' },
};

/** `-n team-a status` as well as `status -n team-a`: the first word that is neither an option nor the value of one. */
export function splitCommand(words: readonly string[]): { name: string | undefined; rest: string[] } {
  const takesNext = (word: string | undefined) =>
    Object.entries(COMMON).some(
      ([long, { short, takes }]) => takes !== undefined && (word === `--${long}` || word === `-${short}`),
    );
  const at = words.findIndex((word, index) => !word.startsWith('-') && !takesNext(words[index - 1]));
  return { name: words[at], rest: words.filter((_, index) => index !== at) };
}

export type Arguments = Given & { wantsHelp: boolean };

export function parseArguments(command: Command, words: readonly string[]): Arguments {
  const known = { ...COMMON, ...command.options };
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { short, takes }]) => [
      name,
      { type: takes === undefined ? ('boolean' as const) : ('string' as const), ...(short ? { short } : {}) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true });
    const flags = values as Record<string, string | boolean | undefined>;
    const wantsHelp = flags.help === true;
    if (!wantsHelp) checkNames(command, positionals);
    checkChoices(known, flags);
    return { names: positionals, flags, output: outputOf(command, flags.output), wantsHelp };
  } catch (error) {
    throw complaint(error, command, Object.keys(known));
  }
}

function checkNames({ name, takes: [least, most], synopsis }: Command, names: readonly string[]): void {
  if (names.length >= least && names.length <= most) return;
  const what = names.length < least ? 'A name is missing' : `There is a word too many: ${names[most]}`;
  throw usage(`${what}.`, `Usage: kubectl rds ${name} ${synopsis}`);
}

function checkChoices(known: Readonly<Record<string, Option>>, flags: Given['flags']): void {
  for (const [name, { choices }] of Object.entries(known)) {
    const value = flags[name];
    if (choices && typeof value === 'string' && !choices.includes(value))
      throw usage(`--${name} ${value} is not possible.`, `It takes ${choices.join(' or ')}.`);
  }
}

function outputOf({ name, outputs }: Command, wanted: unknown): Output {
  if (wanted === undefined) return 'table';
  const found = outputs.find((output) => output === wanted);
  if (found) return found;
  const possible = outputs.filter((output) => output !== 'table').join(' or ');
  throw usage(
    `-o ${wanted} is not possible for ${name}.`,
    possible === '' ? 'It has one form only.' : `It takes ${possible}.`,
  );
}

function complaint(error: unknown, { name }: Command, known: readonly string[]): unknown {
  if (error instanceof Failure) return error;
  const { code, message = '' } = error as { code?: string; message?: string };
  const help = `See: kubectl rds help ${name}`;
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const word = /'(-+[^']+)'/.exec(message)?.[1] ?? '';
    const near = didYouMean(word.replace(/^-+/, ''), known)?.replaceAll(/(mean|or) /g, '$1 --');
    return usage(`${name} has no option ${word}.`, near ?? help);
  }
  if (code?.startsWith('ERR_PARSE_ARGS'))
    return usage(`${message.split('\n')[0]?.replace(/\.$/, '')}.`, help);
  return error;
}
