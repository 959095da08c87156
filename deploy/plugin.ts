// `npm run plugin [FOLDER]`: the kubectl plugin as a package of its own, one JavaScript file without dependencies.
// `npm pack dist/kubectl-rds` makes the archive, `npm install --global` of it puts kubectl-rds on the PATH.
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const REPOSITORY = join(import.meta.dirname, '..');
/** What people have; the operator itself runs on a newer one. */
const NODE = 20;

export function buildPlugin(folder: string): string {
  const { version, license, description } = JSON.parse(
    readFileSync(join(REPOSITORY, 'package.json'), 'utf8'),
  );
  mkdirSync(folder, { recursive: true });
  const command = join(folder, 'kubectl-rds.cjs');
  buildSync({
    entryPoints: [join(REPOSITORY, 'src/plugin/main.ts')],
    outfile: command,
    bundle: true,
    platform: 'node',
    // The packages in it are CommonJS and ask for modules of Node by require.
    format: 'cjs',
    target: `node${NODE}`,
    minifySyntax: true,
    legalComments: 'inline',
    define: { PLUGIN_VERSION: JSON.stringify(version) },
    banner: { js: '#!/usr/bin/env node' },
    logLevel: 'warning',
  });
  chmodSync(command, 0o755);
  const completion = join(folder, 'kubectl_complete-rds');
  writeFileSync(completion, '#!/bin/sh\nexec kubectl-rds __complete "$@"\n', { mode: 0o755 });
  cpSync(join(REPOSITORY, 'LICENSE'), join(folder, 'LICENSE'));
  const manifest = {
    name: 'kubectl-rds',
    version,
    description: `kubectl plugin of rds-pilot. ${description}`,
    license,
    engines: { node: `>=${NODE}` },
    bin: { 'kubectl-rds': 'kubectl-rds.cjs', 'kubectl_complete-rds': 'kubectl_complete-rds' },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return command;
}

if (import.meta.main) console.log(buildPlugin(process.argv[2] ?? join(REPOSITORY, 'dist/kubectl-rds')));
