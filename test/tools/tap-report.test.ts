import t from 'tap';
import { coverageByFolder } from '../../tools/coverage.ts';
import { add, closingLine, emptyTally, isGood, summaryOf } from '../../tools/tally.ts';
import { createTapReport, type Ending } from '../../tools/tap-report.ts';

const GOOD = `# Subtest: a thing
    ok 1 - holds
    ok 2 - holds too
    1..2
ok 1 - a thing # time=3ms

ok 2 - needs a database # SKIP no database here
`;
const BAD = `# Subtest: another thing
    ok 1 - holds
    not ok 2 - adds up
      ---
      diff: |
        --- expected
        +++ actual
        -2
        +3
      at:
        fileName: test/bad.test.ts
        lineNumber: 7
      source: |
        t.equal(1 + 1, 3)
      ...
    1..2
not ok 3 - another thing # time=3ms
`;

const FINE: Ending = { ok: true, how: 'code 0', output: '' };
const FAILED: Ending = { ok: false, how: 'code 1', output: '' };

const read = (text: string, ending = FINE) => {
  const report = createTapReport('test/some.test.ts');
  report.write(text);
  return report.end(ending);
};

t.test('assertions are counted, failures and skips are named', async (t) => {
  const tally = read(`TAP version 14\n${GOOD}${BAD}1..3\n`, FAILED);
  t.equal(closingLine(tally), '3 passed, 1 failed, 1 skipped');
  t.match(tally.skips, [
    { where: 'test/some.test.ts', what: 'needs a database', reason: 'no database here' },
  ]);
  t.match(tally.failures, [
    {
      where: 'test/some.test.ts',
      what: 'another thing > adds up',
      detail: /-2\n\+3[\s\S]*lineNumber: 7/,
    },
  ]);
  t.equal(summaryOf(read(`TAP version 14\n${GOOD}1..2\n`)), '2 passed, 1 skipped');
});

t.test('it does not matter how the output is cut', async (t) => {
  const report = createTapReport('test/some.test.ts');
  for (const letter of `TAP version 14\n${GOOD}${BAD}1..3\n`) report.write(letter);
  t.equal(closingLine(report.end(FAILED)), '3 passed, 1 failed, 1 skipped');
});

t.test('a file without a test says so', async (t) => {
  t.match(read('TAP version 14\n1..0 # no tests found\n'), {
    passed: 0,
    failures: [],
    skips: [{ what: 'the whole file', reason: 'no tests found' }],
  });
});

for (const { given, ending, because } of [
  { given: '', ending: { ...FAILED, output: 'no such file' }, because: 'it did not start' },
  { given: `TAP version 14\n${GOOD}1..3\n`, ending: FINE, because: 'a planned test is missing' },
  { given: `TAP version 14\n${GOOD}`, ending: FINE, because: 'it stopped without a plan' },
  {
    given: `TAP version 14\n${GOOD}1..2\n`,
    ending: { ok: false, how: 'SIGKILL', output: 'late crash' },
    because: 'it crashed after the last test',
  },
  { given: 'TAP version 14\nBail out! no disk\n', ending: FAILED, because: 'it gave up' },
]) {
  t.test(`is a failure: ${because}`, async (t) => {
    const tally = read(given, ending);
    t.not(tally.failures.length, 0);
    t.equal(isGood(tally), false);
  });
}

t.test('a crash is told besides the tests that failed before it', async (t) => {
  const { failures } = read(`TAP version 14\n${BAD}`, { ok: false, how: 'code 7', output: 'Error: late' });
  t.match(failures, [{ what: 'another thing > adds up' }, { what: /code 7/, detail: /Error: late/ }]);
});

t.test('what files tell adds up', async (t) => {
  const sum = emptyTally();
  for (let file = 0; file < 2; file += 1) add(sum, read(`TAP version 14\n${GOOD}${BAD}1..3\n`, FAILED));
  t.equal(closingLine(sum), '6 passed, 2 failed, 2 skipped');
});

t.test('no test at all is no success', async (t) => {
  t.equal(isGood(emptyTally()), false);
  t.equal(isGood({ passed: 1, failures: [], skips: [] }), true);
  t.equal(closingLine({ passed: 1, failures: [], skips: [] }), '1 passed, 0 failed');
});

t.test('coverage is told by folder of src', async (t) => {
  const share = (covered: number, total: number) => ({ covered, total });
  const summary = {
    total: { lines: share(15, 20), branches: share(1, 4) },
    '/x/src/otc/a.ts': { lines: share(5, 5), branches: share(0, 0) },
    '/x/src/otc/b.ts': { lines: share(0, 5), branches: share(1, 4) },
    '/x/tools/c.ts': { lines: share(10, 10), branches: share(0, 0) },
  };
  t.strictSame(coverageByFolder(summary, '/x'), [
    '  75.0 % lines   25.0 % branches  all',
    '  50.0 % lines   25.0 % branches  src/otc',
  ]);
});
