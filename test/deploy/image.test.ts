import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import t from 'tap';
import { buildImageTree } from '../../deploy/image-tree.ts';
import { CHECKOUT } from '../cluster/node-process.ts';

const MAX_MB = 25;

/** Outside the repository, else modules that are missing here would be found there. */
const tree = join(mkdtempSync(join(tmpdir(), 'rds-pilot-image-')), 'app');
t.teardown(() => rmSync(join(tree, '..'), { recursive: true }));
t.before(() => buildImageTree(tree));

type Entry = { path: string; bytes: number };

async function listing(): Promise<Entry[]> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const file = join(entry.parentPath, entry.name);
        return { path: relative(tree, file), bytes: (await stat(file)).size };
      }),
  );
}

const isOurs = (path: string): boolean => !path.startsWith('node_modules/');

t.test('our part is the sources, without simulator and laptop loop', async (t) => {
  const ours = (await listing()).map(({ path }) => path).filter(isOurs);
  t.same(ours.filter((path) => !path.startsWith('src/')).sort(), ['LICENSE', 'package.json']);
  t.same(
    ours.filter((path) => /^src\/(simulator|local)\//.test(path)),
    [],
  );
  for (const path of ['src/server.ts', 'src/jobs/sql.ts', 'src/jobs/logs.ts'])
    t.ok(ours.includes(path), path);
});

t.test('packages are the production ones, without tests and types', async (t) => {
  const lock = JSON.parse(readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  const development = Object.entries(lock.packages).filter(([, { dev }]) => dev);
  t.ok(development.length > 50, 'there are such packages');
  const paths = (await listing()).map(({ path }) => path);
  t.same(
    development
      .map(([folder]) => folder)
      .filter((folder) => paths.some((path) => path.startsWith(`${folder}/`))),
    [],
  );
  t.same(
    paths.filter((path) => /\.d\.[cm]?ts$|\.map$|(^|[/.])tests?\.[cm]?js$/.test(path)),
    [],
  );
});

const SECRET_FILES = /(^|\/)(\.env|\.npmrc|\.git|id_[a-z]+|[^/]*\.(pem|key|p12|pfx|kubeconfig))$/;

t.test('no key, token or credential is in it', async (t) => {
  const entries = await listing();
  t.same(
    entries.map(({ path }) => path).filter((path) => SECRET_FILES.test(path)),
    [],
  );
  const holders = entries.filter(({ path }) => {
    const text = readFileSync(join(tree, path), 'utf8');
    return /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}/.test(text);
  });
  t.same(holders, []);
});

t.test('it is small', async (t) => {
  const entries = await listing();
  const megabytes = entries.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6;
  t.comment(`${entries.length} files, ${megabytes.toFixed(1)} MB`);
  t.ok(megabytes > 3 && megabytes < MAX_MB, `${megabytes.toFixed(1)} MB`);
});

t.test('every program in it finds all of its modules', async (t) => {
  const run = (entry: string): string => {
    try {
      return execFileSync(process.execPath, [entry], {
        cwd: tree,
        env: {},
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 300_000,
      });
    } catch (error) {
      const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
      return stdout + stderr;
    }
  };
  t.match(run('src/server.ts'), /rds-pilot cannot start: no credentials: set OS_AUTH_URL/);
  for (const entry of ['src/jobs/sql.ts', 'src/jobs/logs.ts']) {
    const said = run(entry);
    t.notMatch(said, /ERR_MODULE_NOT_FOUND|Cannot find|ERR_UNSUPPORTED|SyntaxError/, entry);
    t.not(said.trim(), '', `${entry} says what it lacks`);
  }
});

t.test('the Dockerfile builds this very tree and gives it to nobody', async (t) => {
  const file = readFileSync(join(CHECKOUT, 'deploy/Dockerfile'), 'utf8');
  t.match(file, /RUN node deploy\/image-tree\.ts \/app\n/);
  t.match(file, /COPY --from=build \/app \.\nUSER 65532:65532\n/);
  t.same(file.match(/^FROM (\S+)/gm), ['FROM node:24-alpine', 'FROM node:24-alpine']);
  t.match(file, /rm -rf \/usr\/local\/lib\/node_modules/, 'npm stays out');
  const copied = [...file.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, paths = '']) => paths.split(' '));
  const allowed = readFileSync(join(CHECKOUT, 'deploy/Dockerfile.dockerignore'), 'utf8');
  for (const path of copied) t.ok(allowed.includes(`\n!${path}\n`), `${path} reaches the build`);
});
