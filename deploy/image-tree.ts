// What the image holds, as a folder: `node deploy/image-tree.ts TARGET`. The Dockerfile runs it, and so do the tests,
// which have no container engine. Nothing but Node and npm is needed.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '..');
/** The simulated cloud and the loop for laptops have no place beside real databases; the plugin is a package of its own. */
const LEFT_OUT = ['simulator', 'local', 'plugin'];
/** Packages bring tests (some with private keys), docs and types; nothing loads them. */
const DEAD_FOLDERS = [
  'test',
  'tests',
  '__tests__',
  'benchmark',
  'benchmarks',
  'bench',
  'docs',
  'examples',
  '.github',
];
const DEAD_FILES = /\.(d\.[cm]?ts|[cm]?ts|tsx|map|md|markdown|flow)$|(^|\.)tests?\.[cm]?js$/;

export function buildImageTree(target: string, repository = REPOSITORY): void {
  mkdirSync(target, { recursive: true });
  for (const file of ['package.json', 'package-lock.json', '.npmrc', 'LICENSE']) {
    cpSync(join(repository, file), join(target, file));
  }
  const source = join(repository, 'src');
  const isWanted = (path: string) => !LEFT_OUT.includes(relative(source, path).split(sep)[0] ?? '');
  cpSync(source, join(target, 'src'), { recursive: true, filter: isWanted });
  // No install scripts: what they would do is not in the lockfile.
  execFileSync(
    'npm',
    ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'],
    {
      cwd: target,
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  for (const file of ['package-lock.json', '.npmrc', 'node_modules/.bin']) {
    rmSync(join(target, file), { recursive: true });
  }
  prune(join(target, 'node_modules'));
}

function prune(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) {
      if (DEAD_FILES.test(entry.name)) rmSync(path);
    } else if (isDead(path)) rmSync(path, { recursive: true });
    else prune(path);
  }
}

/** Only at the top of a package: deeper down, a folder of that name may be code. */
function isDead(path: string): boolean {
  const [, inPackage = ''] =
    /.*node_modules\/((?:@[^/]+\/)?[^/]+\/.*)$/.exec(path.split(sep).join('/')) ?? [];
  const folder = inPackage.replace(/^(@[^/]+\/)?[^/]+\//, '');
  return basename(path) === '@types' || DEAD_FOLDERS.includes(folder);
}

if (import.meta.main) {
  const [target] = process.argv.slice(2);
  if (!target) throw new Error('usage: node deploy/image-tree.ts TARGET');
  buildImageTree(target);
}
