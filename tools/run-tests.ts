// `make test`: check, unit, simulation, cluster, in this order; a failing phase does not hide the later ones.
// `npm test -- unit` runs one phase, `npm test -- otc/limiter` the test files whose path contains that.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runChecks } from './check.ts';
import { isOnPath, REPOSITORY, run } from './command.ts';
import { readCoverage, SUMMARY } from './coverage.ts';
import { closingLine, emptyTally, indented, isGood, seconds, type Tally } from './tally.ts';
import { createTapReport, type FileTime } from './tap-report.ts';

const CLOSING_FILE = '.tap/closing-line.txt';
const SLOWEST = 5;
/** `npm run simulate -- --seeds 100000` is for the night. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 400);

type Phase = { name: string; files: string[]; run(files: string[]): Promise<void> };

const tally: Tally = emptyTally();
const times: FileTime[] = [];
const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));

const testFiles = globSync('test/**/*.test.ts', { cwd: REPOSITORY })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.startsWith('test/fixtures/'))
  .sort();
const isSimulation = (file: string) => file.startsWith('test/simulation/');
/** The control plane is built with Go; whatever imports it needs it, wherever the test is. */
const needsCluster = (file: string) =>
  /^test\/(cluster|e2e)\//.test(file) ||
  /from '[./]+\/(cluster|e2e)\//.test(readFileSync(join(REPOSITORY, file), 'utf8'));

async function tap(files: string[], ...options: string[]): Promise<void> {
  if (files.length === 0) return;
  const report = createTapReport(tally, (line) => console.log(line));
  const command = ['tap', 'run', '--reporter=tap', '--jobs=2', ...options, ...files];
  times.push(...report.end(await run(command, report.write)));
}

async function simulate(files: string[]): Promise<void> {
  await tap(files, '--disable-coverage');
  if (typeof scripts.simulate !== 'string') return;
  const command = ['npm', 'run', '--silent', 'simulate', '--', '--seeds', `${SEEDS}`, '--every-cell'];
  const { ok, ms } = await run(command, 'inherit');
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${seconds(ms)}  ${SEEDS} seeds`);
  if (ok) tally.passed += 1;
  else tally.failures.push({ where: 'simulation', what: `${SEEDS} seeds`, detail: 'see above' });
}

async function cluster(files: string[]): Promise<void> {
  if (files.length === 0) return;
  const skipAll = (reason: string) => {
    for (const file of files) tally.skips.push({ where: file, what: 'the whole file', reason });
  };
  if (!isOnPath('go')) {
    const reason = '`go` is not on the PATH; Go builds the control plane once (https://go.dev/dl)';
    if (process.env.CI === 'true') {
      tally.failures.push({ where: 'cluster', what: 'control plane', detail: reason });
    }
    skipAll(reason);
    return;
  }
  const { ok, ms } = await run(['node', 'test/cluster/prepare.ts'], 'inherit');
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${seconds(ms)}  control plane binaries`);
  if (ok) return tap(files, '--disable-coverage');
  const reason = 'the control plane could not be built, see above';
  tally.failures.push({ where: 'cluster', what: 'control plane', detail: reason });
  skipAll(reason);
}

const phases: Phase[] = [
  { name: 'check', files: [], run: () => runChecks(tally) },
  {
    name: 'unit',
    files: testFiles.filter((file) => !isSimulation(file) && !needsCluster(file)),
    run: (files) => {
      rmSync(join(REPOSITORY, SUMMARY), { force: true });
      return tap(files, '--coverage-report=json-summary');
    },
  },
  { name: 'simulation', files: testFiles.filter(isSimulation), run: simulate },
  { name: 'cluster', files: testFiles.filter(needsCluster), run: cluster },
];

async function runPhase({ name, run }: Phase, files: string[]): Promise<void> {
  console.log(`\n# ${name}${files.length > 0 ? `: ${files.length} files` : ''}`);
  const began = performance.now();
  await run(files);
  console.log(`  ${seconds(performance.now() - began)}  ${name}`);
}

function conclude(): void {
  const slowest = times.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  if (slowest.length > 1) console.log('\n# slowest files');
  if (slowest.length > 1) for (const { file, ms } of slowest) console.log(`  ${seconds(ms)}  ${file}`);
  if (tally.skips.length > 0) console.log('\n# skipped');
  for (const { where, what, reason } of tally.skips) console.log(`  ${where}: ${what}: ${reason}`);
  if (tally.failures.length > 0) console.log('\n# failed');
  for (const { where, what, detail } of tally.failures)
    console.log(`  ${where}: ${what}\n${indented(detail)}`);
  const line = closingLine(tally);
  mkdirSync(join(REPOSITORY, '.tap'), { recursive: true });
  writeFileSync(join(REPOSITORY, CLOSING_FILE), `${line}\n`);
  console.log(`\n${line}`);
}

const wanted = process.argv.slice(2);
const named = phases.filter(({ name }) => wanted.includes(name));
const parts = wanted.filter((word) => !phases.some(({ name }) => name === word));

if (wanted.length === 0) for (const phase of phases) await runPhase(phase, phase.files);
for (const phase of named) await runPhase(phase, phase.files);
if (parts.length > 0) {
  const files = testFiles.filter((file) => parts.some((part) => file.includes(part)));
  if (files.length === 0) console.log(`no test file and no phase is called ${parts.join(' or ')}`);
  await tap(
    files.filter((file) => !needsCluster(file)),
    '--disable-coverage',
  );
  await cluster(files.filter(needsCluster));
}
const coverage = wanted.length === 0 || wanted.includes('unit') ? readCoverage() : [];
if (coverage.length > 0) console.log(`\n# coverage of the unit tests (${SUMMARY})\n${coverage.join('\n')}`);
conclude();
process.exitCode = isGood(tally) ? 0 : 1;
