// typebox is 700 small files, more than all else that a process of this project loads. The test runner packs it into a
// few, so that each of some hundred processes starts in half the time. The code is the same, and so is what it does.
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { REPOSITORY } from './command.ts';

const PACKAGE = join(REPOSITORY, 'node_modules/typebox');
const FOLDER = join(REPOSITORY, '.tap/packed');

type Manifest = { version: string; exports: Record<string, { import: string }> };

/** `--import` it, with the address below as PACKED_TYPEBOX. */
export const USE_PACKED = pathToFileURL(join(REPOSITORY, 'tools/use-packed.ts')).href;

/** The address of a folder with one module for each that the package offers, `typebox` itself as `index.js`. */
export async function packTypebox(): Promise<string> {
  const { version, exports } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as Manifest;
  const folder = join(FOLDER, `typebox-${version}`);
  if (!existsSync(folder)) {
    const making = `${folder}.${process.pid}`;
    const modules = Object.entries(exports).map(([name, { import: file }]) => ({
      in: join(PACKAGE, file),
      out: name === '.' ? 'index' : name.slice(2),
    }));
    await build({
      entryPoints: modules,
      outdir: making,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      outExtension: { '.js': '.mjs' },
      logLevel: 'error',
    });
    rmSync(folder, { recursive: true, force: true });
    renameSync(making, folder);
  }
  return `${pathToFileURL(folder).href}/`;
}
