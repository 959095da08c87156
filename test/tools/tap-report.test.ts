import t from 'tap';
import { coverageByFolder } from '../../tools/coverage.ts';
import { closingLine, emptyTally, isGood } from '../../tools/tally.ts';
import { createTapReport } from '../../tools/tap-report.ts';

const GOOD = `# Subtest: test/good.test.ts
    # Subtest: a thing
        ok 1 - holds
        ok 2 - holds too
        1..2
    ok 1 - a thing # time=3ms

    ok 2 - needs a database # SKIP no database here
    1..2
ok 1 - test/good.test.ts # time=1200.5ms

`;
const BAD = `# Subtest: test/bad.test.ts
    # Subtest: a thing
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
    not ok 1 - a thing # time=3ms
    1..1
not ok 2 - test/bad.test.ts # time=80ms
`;
const CRASHED = `not ok 3 - test/crashed.test.ts # time=50ms
  ---
  exitCode: 1
  cwd: /somewhere
  ...
`;
const CRASHED_LATE = `# Subtest: test/late.test.ts
    ok 1 - holds
    1..1
not ok 4 - test/late.test.ts # time=70ms
  ---
  signal: SIGKILL
  ...
`;
const EMPTY = 'ok 5 - test/empty.test.ts # SKIP no tests found\n';
const PARALLEL = `ok 6 - test/parallel.test.ts # time=9ms {
    ok 1 - holds
    1..1
}
`;

const read = (text: string, ended = { ok: true, output: '' }, tally = emptyTally()) => {
  const lines: string[] = [];
  const report = createTapReport(tally, (line) => lines.push(line));
  report.write(text);
  return { times: report.end(ended), lines, tally };
};

t.test('assertions are counted, failures and skips are named', async (t) => {
  const text = `TAP version 14\n${GOOD}${BAD}${CRASHED}${CRASHED_LATE}${EMPTY}${PARALLEL}1..6\n`;
  const { tally, lines, times } = read(text, { ok: false, output: '' });
  t.strictSame(lines, [
    'ok      1.2 s  test/good.test.ts: 2 passed, 1 skipped',
    'FAIL    0.1 s  test/bad.test.ts: 1 passed, 1 failed',
    'FAIL    0.1 s  test/crashed.test.ts: 0 passed, 1 failed',
    'FAIL    0.1 s  test/late.test.ts: 1 passed, 1 failed',
    'ok      0.0 s  test/empty.test.ts: 0 passed, 1 skipped',
    'ok      0.0 s  test/parallel.test.ts: 1 passed',
  ]);
  t.equal(closingLine(tally), '5 passed, 3 failed, 2 skipped');
  t.equal(times.length, 6);
  t.match(tally.skips, [
    { where: 'test/good.test.ts', what: 'needs a database', reason: 'no database here' },
    { where: 'test/empty.test.ts', reason: 'no tests found' },
  ]);
  t.match(tally.failures, [
    { where: 'test/bad.test.ts', what: 'a thing > adds up', detail: /-2\n\+3[\s\S]*lineNumber: 7/ },
    { where: 'test/crashed.test.ts', detail: 'exitCode: 1' },
    { where: 'test/late.test.ts', detail: 'signal: SIGKILL' },
  ]);
});

t.test('it does not matter how the output is cut', async (t) => {
  const tally = emptyTally();
  const report = createTapReport(tally, () => {});
  for (const letter of `TAP version 14\n${GOOD}${BAD}1..2\n`) report.write(letter);
  report.end({ ok: false, output: '' });
  t.equal(closingLine(tally), '3 passed, 1 failed, 1 skipped');
});

for (const { given, ended, because } of [
  { given: '', ended: { ok: false, output: 'tap: not found' }, because: 'tap did not start' },
  {
    given: `TAP version 14\n${GOOD}1..2\n`,
    ended: { ok: true, output: '' },
    because: 'a planned file is missing',
  },
  {
    given: `TAP version 14\n${GOOD}1..1\n`,
    ended: { ok: false, output: 'late crash' },
    because: 'tap says no',
  },
  { given: 'TAP version 14\nBail out! no disk\n', ended: { ok: false, output: '' }, because: 'tap gave up' },
]) {
  t.test(`is a failure: ${because}`, async (t) => {
    const { tally } = read(given, ended);
    t.not(tally.failures.length, 0);
    t.equal(isGood(tally), false);
  });
}

t.test('a failure of an earlier phase does not excuse a later one', async (t) => {
  const tally = emptyTally();
  tally.failures.push({ where: 'check', what: 'types', detail: '' });
  read('', { ok: false, output: 'tap: not found' }, tally);
  t.equal(tally.failures.length, 2);
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
