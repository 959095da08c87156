// Real test files that end in every bad way: none of them may count as a success.
import { relative } from 'node:path';
import t from 'tap';
import { REPOSITORY } from '../../tools/command.ts';
import { closingLine, type FileResult } from '../../tools/tally.ts';
import { runTestFile, runTestFiles } from '../../tools/test-file.ts';

const HOLDS = `import t from 'tap';\nt.test('first', async (t) => { t.ok(true); });\n`;
const SOON = 'await new Promise((resolve) => setTimeout(resolve, 200));';

const cases: { name: string; source: string; line: string; says?: RegExp }[] = [
  { name: 'good', source: '', line: '1 passed, 0 failed' },
  {
    name: 'an assertion fails',
    source: `t.test('second', async (t) => { t.ok(false); });`,
    line: '1 passed, 1 failed',
  },
  {
    name: 'a test throws',
    source: `t.test('second', async () => { throw new Error('thrown'); });`,
    line: '1 passed, 1 failed',
    says: /thrown/,
  },
  {
    name: 'an error that nobody caught, in a test',
    source: `t.test('second', async () => { setTimeout(() => { throw new Error('uncaught'); }); ${SOON} });`,
    line: '1 passed, 1 failed',
    says: /uncaught[\s\S]*case.test.ts:3/,
  },
  {
    name: 'a promise that nobody awaited, in a test',
    source: `t.test('second', async () => { void Promise.reject(new Error('rejected')); ${SOON} });`,
    line: '1 passed, 1 failed',
    says: /rejected[\s\S]*case.test.ts:3/,
  },
  {
    name: 'an error that nobody caught, after the last test',
    source: `setTimeout(() => { throw new Error('late'); }, 500);`,
    line: '1 passed, 1 failed',
    says: /late/,
  },
  {
    name: 'an early exit',
    source: `t.test('second', async () => { process.exit(0); });`,
    line: '1 passed, 2 failed',
  },
  {
    name: 'a test that never ends',
    source: `t.test('second', async () => { await new Promise(() => {}); });`,
    line: '1 passed, 1 failed',
  },
];

for (const { name, source, line, says = /./ } of cases) {
  t.test(name, async (t) => {
    const folder = t.testdir({ 'case.test.ts': `${HOLDS}${source}\n` });
    const { tally, ms } = await runTestFile(relative(REPOSITORY, `${folder}/case.test.ts`));
    t.equal(closingLine(tally), line, JSON.stringify(tally.failures));
    const told = tally.failures.map(({ what, detail }) => `${what}\n${detail}`).join('\n');
    if (tally.failures.length > 0) t.match(told, says);
    t.ok(ms > 0);
  });
}

const GROUP = ['before', 'case', 'behind'];

for (const { name, source, says = /./ } of cases) {
  t.test(`${name}, between others in one process`, async (t) => {
    const folder = t.testdir({
      'before.test.ts': HOLDS,
      'case.test.ts': `${HOLDS}${source}\n`,
      'behind.test.ts': `${HOLDS}t.test('later', async (t) => { ${SOON} ${SOON} ${SOON} t.ok(true); });\n`,
    });
    const files = GROUP.map((file) => relative(REPOSITORY, `${folder}/${file}.test.ts`));
    const results: FileResult[] = [];
    await runTestFiles(files, {}, (result) => results.push(result));
    t.strictSame([...new Set(results.map(({ file }) => file))], files, 'none is left out');
    const failures = results.flatMap(({ tally }) => tally.failures);
    const told = failures.map(({ what, detail }) => `${what}\n${detail}`).join('\n');
    if (source === '') t.same(failures, []);
    else t.match(told, says, 'it is no success');
    t.ok(
      failures.every(({ where }) => where !== files[0]),
      'the one before is not to blame',
    );
  });
}
