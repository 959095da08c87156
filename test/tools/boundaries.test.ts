// That the source keeps these rules is one of the checks; here: that each rule finds what breaks it.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { checkBoundaries, configuration } from '../../tools/check-boundaries.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const FIXTURES = join(REPOSITORY, 'test/fixtures/imports');

const files = globSync('*/**/*.ts', { cwd: FIXTURES }).sort();
const fixtures = [...new Set(files.map((file) => file.split('/')[0] ?? ''))];
const rules = (configuration.forbidden ?? []).map((rule) => rule.name ?? '').sort();

t.strictSame(fixtures, rules, 'every rule has a fixture that breaks it, every fixture has its rule');

for (const rule of fixtures) {
  t.test(`${rule}: the files that break it are found, by no other rule, and nothing else is`, async (t) => {
    const root = join(FIXTURES, rule);
    const want = files
      .filter((file) => file.startsWith(`${rule}/`))
      .filter((file) => readFileSync(join(FIXTURES, file), 'utf8').startsWith('// breaks it\n'))
      .map((file) => `${rule}: ${file.slice(rule.length + 1)}`);
    const found = (await checkBoundaries(root)).map(({ rule, from }) => `${rule}: ${from}`);
    t.not(want.length, 0);
    t.strictSame([...new Set(found)].sort(), want);
  });
}

t.test('a file that the parser cannot see is an error, not a pass', async (t) => {
  const root = t.testdir({ src: { rds: { 'typo.ts': 'export const = 1;\n' } } });
  await t.rejects(checkBoundaries(root));
});
