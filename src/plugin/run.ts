// From the words of a command line to an exit code. Knows no process: main.ts hands in what it needs.

import { KubeconfigError } from '../kube/kubeconfig.ts';
import { parseArguments, splitCommand } from './arguments.ts';
import type { Command, World } from './command.ts';
import { adopt } from './commands/adopt.ts';
import { approve } from './commands/approve.ts';
import { backup } from './commands/backup.ts';
import { completion } from './commands/completion.ts';
import { explain } from './commands/explain.ts';
import { logs } from './commands/logs.ts';
import { migrate } from './commands/migrate.ts';
import { plan } from './commands/plan.ts';
import { restart } from './commands/restart.ts';
import { restore } from './commands/restore.ts';
import { status } from './commands/status.ts';
import { version } from './commands/version.ts';
import { complete } from './complete.ts';
import { EXIT, type ExitCode, Failure, usage } from './failure.ts';
import { commandHelp, overview } from './help.ts';
import { didYouMean } from './near-names.ts';

const help: Command = {
  name: 'help',
  summary: 'say what a command does and takes',
  synopsis: '[COMMAND]',
  text: 'Without a command: all of them.',
  takes: [0, 1],
  completes: 'command',
  options: {},
  outputs: ['table'],
  isOffline: true,
  async run({ names: [name] }, world) {
    world.out(name === undefined ? overview(COMMANDS) : commandHelp(commandOf(name)));
    return 0;
  },
};

const COMMANDS: readonly Command[] = [
  status,
  plan,
  approve,
  restart,
  logs,
  backup,
  restore,
  adopt,
  migrate,
  explain,
  completion,
  version,
  help,
];

/** What is known of a command line before a cluster is asked. */
export type Wanted = { context?: string; kubeconfig?: string; namespace?: string };

export type Outside = Omit<World, 'connect'> & { connect(wanted: Wanted): ReturnType<World['connect']> };

export async function runPlugin(words: readonly string[], outside: Outside): Promise<ExitCode> {
  try {
    return await dispatch(words, outside);
  } catch (error) {
    if (error instanceof KubeconfigError)
      return tellFailure(
        new Failure(
          EXIT.unreachable,
          `No cluster: ${error.message}.`,
          'Check KUBECONFIG, --kubeconfig and --context.',
        ),
        outside,
      );
    if (error instanceof Failure) return tellFailure(error, outside);
    throw error;
  }
}

async function dispatch(words: readonly string[], outside: Outside): Promise<ExitCode> {
  const [first, ...typed] = words;
  if (first === '__complete') {
    outside.out(
      await complete(COMMANDS, typed, { ...outside, connect: () => outside.connect(wantedIn(typed)) }),
    );
    return 0;
  }
  const { name, rest } = first === '--version' ? { name: 'version', rest: typed } : splitCommand(words);
  const command = commandOf(name ?? 'help');
  const given = parseArguments(command, rest);
  if (given.wantsHelp) {
    outside.out(command === help ? overview(COMMANDS) : commandHelp(command));
    return 0;
  }
  const text = (name: string) => (typeof given.flags[name] === 'string' ? { [name]: given.flags[name] } : {});
  const wanted: Wanted = { ...text('context'), ...text('kubeconfig'), ...text('namespace') };
  return command.run(given, { ...outside, connect: () => outside.connect(wanted) });
}

function commandOf(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name);
  if (found) return found;
  const names = COMMANDS.map((command) => command.name);
  throw usage(`There is no command ${name}.`, didYouMean(name, names, 'All of them: kubectl rds help'));
}

/** Half a command line, as it stands when somebody presses Tab. */
function wantedIn(words: readonly string[]): Wanted {
  const behind = (...flags: string[]) => words.find((_, index) => flags.includes(words[index - 1] ?? ''));
  const [context, kubeconfig, namespace] = [
    behind('--context'),
    behind('--kubeconfig'),
    behind('-n', '--namespace'),
  ];
  return {
    ...(context ? { context } : {}),
    ...(kubeconfig ? { kubeconfig } : {}),
    ...(namespace ? { namespace } : {}),
  };
}

function tellFailure({ message, remedy, code }: Failure, { tell, paint }: Outside): ExitCode {
  tell(`${paint('red', 'error:')} ${message}`);
  if (remedy !== undefined) tell(remedy);
  return code;
}
