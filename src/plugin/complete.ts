// `__complete`: what may stand where the cursor is. kubectl asks this way too, and expects `:4` at the end (no files).

import { REASONS } from '../rds/reasons.ts';
import { COMMON } from './arguments.ts';
import type { Command, World } from './command.ts';
import { SHELLS } from './commands/completion.ts';

const NO_FILES = ':4';

export async function complete(
  commands: readonly Command[],
  words: readonly string[],
  world: World,
): Promise<string> {
  const candidates = await candidatesFor(commands, words, world);
  const last = words.at(-1) ?? '';
  return [...candidates.filter((one) => one.startsWith(last)), NO_FILES].map((line) => `${line}\n`).join('');
}

async function candidatesFor(
  commands: readonly Command[],
  words: readonly string[],
  world: World,
): Promise<readonly string[]> {
  const [name, ...rest] = words;
  const names = commands.map((command) => command.name);
  if (words.length <= 1) return names;
  const command = commands.find((one) => one.name === name);
  if (!command) return [];
  const options = { ...COMMON, ...command.options };
  const last = rest.at(-1) ?? '';
  if (last.startsWith('-')) return Object.keys(options).map((option) => `--${option}`);
  const before = rest.at(-2)?.replace(/^--?/, '') ?? '';
  const option = Object.entries(options).find(
    ([long, { short }]) => long === before || short === before,
  )?.[1];
  if (option?.takes !== undefined && rest.at(-2)?.startsWith('-')) {
    if (before === 'output' || before === 'o') return command.outputs.filter((one) => one !== 'table');
    return option.choices ?? (option.takes === 'RDS' ? rdsNames(world) : []);
  }
  switch (command.completes) {
    case 'rds':
      return rdsNames(world);
    case 'reason':
      return Object.keys(REASONS);
    case 'shell':
      return SHELLS;
    case 'command':
      return names;
    default:
      return [];
  }
}

/** A cluster that does not answer completes nothing; nobody wants an error there. */
async function rdsNames(world: World): Promise<string[]> {
  try {
    const cluster = await world.connect();
    return (await cluster.rdss(cluster.namespace)).map(({ metadata }) => metadata.name);
  } catch {
    return [];
  }
}
