// `kubectl rds`: the process edge. Bundled to one file (deploy/plugin.ts), as Node runs no TypeScript of a package.

import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { systemClock } from '../clock.ts';
import { contextConnection } from '../kube/connection.ts';
import { readKubeconfigs } from '../kube/kubeconfig.ts';
import { createCluster } from './cluster.ts';
import { createExecLogin } from './exec-login.ts';
import { usage } from './failure.ts';
import { createKubeWire } from './http.ts';
import { fillIn } from './node-20.ts';
import { type Outside, runPlugin, type Wanted } from './run.ts';
import { createPaint } from './screen.ts';

/** Put in by the bundler. */
declare const PLUGIN_VERSION: string;

const { env, stdin, stdout, stderr } = process;
const isInteractive = stdin.isTTY === true && stderr.isTTY === true;

function kubeconfigPaths(named: string | undefined): string[] {
  if (named !== undefined) return [named];
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter(Boolean);
  return listed.length > 0 ? listed : [join(homedir(), '.kube', 'config')];
}

const outside: Outside = {
  env,
  clock: systemClock,
  version: PLUGIN_VERSION,
  paint: createPaint(stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'),
  out: (text) => void stdout.write(text),
  tell: (line) => void stderr.write(`${line}\n`),
  async confirm(question) {
    if (!isInteractive) throw usage('Nobody can be asked here.', 'Add --yes if you are sure.');
    const lines = createInterface({ input: stdin, output: stderr });
    const answer = await lines.question(`${question} [y/N] `);
    lines.close();
    return /^y(es)?$/i.test(answer.trim());
  },
  async connect({ context, kubeconfig, namespace }: Wanted) {
    const config = readKubeconfigs(kubeconfigPaths(kubeconfig));
    const found = contextConnection(config, { context, logIn: createExecLogin(env, isInteractive) });
    const wire = createKubeWire(found.connection);
    return createCluster(wire, {
      context: found.context.name,
      namespace: namespace ?? found.context.namespace ?? 'default',
    });
  },
};

// A reader that has seen enough (`| head`) is no failure.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

/** Deadlines of calls that were in time would keep the process alive for a minute. */
function end(code: number): void {
  stdout.write('', () => stderr.write('', () => process.exit(code)));
}

fillIn();
runPlugin(process.argv.slice(2), outside).then(end, (error: unknown) => {
  stderr.write(`kubectl rds: this is a bug: ${error instanceof Error ? error.stack : error}\n`);
  end(1);
});
