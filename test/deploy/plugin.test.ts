// The plugin as a user gets it: packed, installed by npm, found on the PATH under the name that kubectl looks for.

import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import t from 'tap';
import { buildPlugin } from '../../deploy/plugin.ts';

t.test('npm pack and npm install put kubectl-rds and its completion on the PATH', async (t) => {
  const dir = t.testdir({ out: {}, home: {}, prefix: {} });
  const folder = join(dir, 'kubectl-rds');
  buildPlugin(folder);
  const npm = (...words: string[]) =>
    execFileSync('npm', [...words, '--silent', '--offline', '--no-audit', '--no-fund'], {
      encoding: 'utf8',
      env: { ...process.env, HOME: join(dir, 'home') },
    });
  npm('pack', folder, '--pack-destination', join(dir, 'out'));
  const [archive = ''] = readdirSync(join(dir, 'out'));
  t.match(archive, /^kubectl-rds-\d+\.\d+\.\d+\.tgz$/);
  t.ok(statSync(join(dir, 'out', archive)).size < 500_000, 'small');
  npm('install', '--global', '--prefix', join(dir, 'prefix'), join(dir, 'out', archive));
  const bin = join(dir, 'prefix', 'bin');
  const env = { PATH: `${bin}${delimiter}${process.env.PATH}` };
  const run = (command: string, ...words: string[]) =>
    execFileSync(command, words, { encoding: 'utf8', env });
  t.match(run('kubectl-rds', 'version'), /^kubectl-rds \d/);
  t.equal(run('kubectl_complete-rds', 'ver'), 'version\n:4\n', 'kubectl asks this one');
  const bash = `source <(kubectl-rds completion bash); COMP_WORDS=(kubectl-rds expl); COMP_CWORD=1; _kubectl_rds; echo "\${COMPREPLY[@]}"`;
  t.equal(run('bash', '-c', bash), 'explain\n', 'and the script for bash works');
});
