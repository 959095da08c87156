import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';

const REPOSITORY = join(import.meta.dirname, '../..');

const PURE = ['src/rds', 'src/sync/decide', 'src/sync/children'];
const IMPURE = [
  'Date.now()',
  'new Date()',
  'Date()',
  'Math.random()',
  '[1].map(Math.random)',
  'process.pid',
  'globalThis.process',
  'console.log(1)',
  'setTimeout(String, 1)',
  'setInterval(String, 1)',
  'setImmediate(String)',
  'queueMicrotask(String)',
  "fetch('http://example.com')",
  'performance.now()',
  'crypto.randomUUID()',
];
const HARMLESS = ['new Date(0)', 'Math.max(1, 2)', '({ process: 1 }).process', "Date.parse('2026-01-01')"];
const ENTRIES = ['src/server.ts', 'src/simulator/main.ts', 'src/local/demo.ts', 'src/jobs/logs.ts'];

type Diagnostic = { category: string; location: { path: string | { file: string } } };
type Case = { file: string; code: string; found: boolean; because: string };

const cases: Case[] = [
  ...PURE.flatMap((folder) => [
    ...IMPURE.map((code, index) => ({
      file: `${folder}/impure-${index}.ts`,
      code,
      found: true,
      because: `${folder} is pure`,
    })),
    ...HARMLESS.map((code, index) => ({
      file: `${folder}/pure-${index}.ts`,
      code,
      found: false,
      because: 'it depends on nothing but its arguments',
    })),
  ]),
  ...[
    'src/config.ts',
    'src/otc/open.ts',
    'src/sync/observe.ts',
    'src/simulator/cloud.ts',
    'src/local/store.ts',
  ].map((file) => ({
    file,
    code: 'process.pid',
    found: true,
    because: 'only entry files touch the process',
  })),
  ...ENTRIES.map((file) => ({ file, code: 'process.pid', found: false, because: 'it is an entry file' })),
  {
    file: 'src/otc/limiter.ts',
    code: 'Date.now()',
    found: false,
    because: 'only the pure folders are watched',
  },
];

t.test('globals are refused where they must not be used, and only there', async (t) => {
  const root = t.testdir({ tools: {} });
  for (const { file, code } of cases) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), `export const value = ${code};\n`);
  }
  for (const file of ['biome.json', 'tools/purity.grit']) {
    copyFileSync(join(REPOSITORY, file), join(root, file));
  }
  const biome = spawnSync(
    join(REPOSITORY, 'node_modules/.bin/biome'),
    ['lint', '--reporter=json', '--max-diagnostics=none', '.'],
    { cwd: root, encoding: 'utf8' },
  );
  const { diagnostics } = JSON.parse(biome.stdout) as { diagnostics: Diagnostic[] };
  const flagged = new Set(
    diagnostics
      .filter(({ category }) => category === 'plugin' || category === 'lint/style/noRestrictedGlobals')
      .map(({ location: { path } }) => (typeof path === 'string' ? path : path.file)),
  );
  for (const { file, code, found, because } of cases) {
    t.equal(flagged.has(file), found, `${file}: ${code} is ${found ? 'refused' : 'allowed'}: ${because}`);
  }
});
