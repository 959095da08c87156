// `make test`: check, unit and cluster, simulation; a failing phase does not hide the later ones.
// `npm test -- unit` runs one phase, `npm test -- otc/limiter` the test files whose path contains that, and
// `npm test -- coverage` the unit tests with what they reach.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runChecks } from './check.ts';
import { isOnPath, REPOSITORY, run } from './command.ts';
import { coverageReport, freshCoverageFolder, SUMMARY } from './coverage.ts';
import { keepTimes, longestFirst } from './file-times.ts';
import { runSideBySide } from './side-by-side.ts';
import {
  add,
  closingLine,
  emptyTally,
  type Failure,
  type FileResult,
  indented,
  isGood,
  seconds,
  summaryOf,
  type Tally,
} from './tally.ts';
import { runTestFile, runTestFiles, type TestFileOptions } from './test-file.ts';

const CLOSING_FILE = '.tap/closing-line.txt';
const SLOWEST = 5;
const SHARING = /^test\/(kube|local|metacontroller|otc|rds|simulator|sync)\//;
const OF_ITS_OWN = /from '(node:child_process|[^']*\/real-[^']*)'|\bprocess\.(env|memoryUsage|on)\b/;
const MOST_TOGETHER = 16;
/** `npm run simulate -- --seeds 100000` is for the night. */
const SEEDS = Number(process.env.SIMULATION_SEEDS ?? 3_000);
const PHASES = ['check', 'unit', 'cluster', 'simulation', 'coverage'] as const;

type PhaseName = (typeof PHASES)[number];

const tally: Tally = emptyTally();
const times: { file: string; ms: number }[] = [];

const testFiles = globSync('test/**/*.test.ts', { cwd: REPOSITORY })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !file.startsWith('test/fixtures/'))
  .sort();
const isSimulation = (file: string) => file.startsWith('test/simulation/');
/** The control plane is built with Go; whatever imports it needs it, wherever the test is. */
const needsCluster = (file: string) =>
  /^test\/(cluster|e2e)\//.test(file) ||
  /from '[./]+\/(cluster|e2e)\//.test(readFileSync(join(REPOSITORY, file), 'utf8'));
const isUnit = (file: string) => !isSimulation(file) && !needsCluster(file);

const alone = (files: readonly string[]): string[][] => files.map((file) => [file]);

/** Those of one folder that start no process and change none of their own; the same ones share a process every time. */
function grouped(files: readonly string[]): string[][] {
  const mayShare = (file: string) =>
    SHARING.test(file) && !OF_ITS_OWN.test(readFileSync(join(REPOSITORY, file), 'utf8'));
  const folders = Object.values(Object.groupBy(files.filter(mayShare), dirname));
  const shared = folders.flatMap((folder = []) =>
    folder.flatMap((_, index) =>
      index % MOST_TOGETHER === 0 ? [folder.slice(index, index + MOST_TOGETHER)] : [],
    ),
  );
  return [...shared, ...alone(files.filter((file) => !mayShare(file)))];
}

/** Two engines are told apart by what happens when: beside other tests each would wait in other places. */
const comparesEngines = (file: string) =>
  process.env.METACONTROLLER_HOME !== undefined &&
  /^import .* from '\.\/compare\.ts';$/m.test(readFileSync(join(REPOSITORY, file), 'utf8'));

async function runFiles(
  groups: readonly (readonly string[])[],
  options: TestFileOptions = {},
): Promise<void> {
  const isAlone = (files: readonly string[]) => files.some(comparesEngines);
  for (const files of groups.filter(isAlone)) await runTogether([files], options);
  await runTogether(
    groups.filter((files) => !isAlone(files)),
    options,
  );
}

async function runTogether(groups: readonly (readonly string[])[], options: TestFileOptions): Promise<void> {
  const onResult = (result: FileResult): void => {
    const mark = result.tally.failures.length > 0 ? 'FAIL' : 'ok  ';
    console.log(`${mark} ${seconds(result.ms)}  ${result.file}: ${summaryOf(result.tally)}`);
    // Told here and at the end: a run that is cut off, or whose log is, still says why.
    for (const failure of result.tally.failures) tellFailure(failure);
    add(tally, result.tally);
    times.push(result);
  };
  await runSideBySide(longestFirst(groups), async (files) => {
    const [file = ''] = files;
    if (files.length === 1) onResult(await runTestFile(file, options));
    else await runTestFiles(files, options, onResult);
  });
}

/** Without the binaries every file that needs them is skipped by name. */
async function clusterFiles(files: readonly string[]): Promise<readonly string[]> {
  const without = (reason: string, isFailure: boolean): string[] => {
    if (isFailure) tally.failures.push({ where: 'cluster', what: 'control plane', detail: reason });
    for (const file of files) tally.skips.push({ where: file, what: 'the whole file', reason });
    return [];
  };
  if (files.length === 0) return [];
  if (!isOnPath('go')) {
    const reason = '`go` is not on the PATH; Go builds the control plane once (https://go.dev/dl)';
    return without(reason, process.env.CI === 'true');
  }
  const { ok, ms } = await run(['node', 'test/cluster/prepare.ts'], 'inherit');
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${seconds(ms)}  control plane binaries`);
  return ok ? files : without('the control plane could not be built, see above', true);
}

async function simulate(): Promise<void> {
  await runFiles(alone(testFiles.filter(isSimulation)));
  const command = ['npm', 'run', '--silent', 'simulate', '--', '--seeds', `${SEEDS}`, '--every-cell'];
  const { ok, ms } = await run(command, 'inherit');
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${seconds(ms)}  ${SEEDS} seeds`);
  if (ok) tally.passed += 1;
  else tally.failures.push({ where: 'simulation', what: `${SEEDS} seeds`, detail: 'see above' });
}

async function cover(): Promise<void> {
  const coverage = freshCoverageFolder();
  await runFiles(alone(testFiles.filter(isUnit)), { coverage });
  console.log(`\n# coverage of the unit tests (${SUMMARY})\n${(await coverageReport(coverage)).join('\n')}`);
}

async function runPhase(name: string, work: () => Promise<void>): Promise<void> {
  console.log(`\n# ${name}`);
  const began = performance.now();
  await work();
  console.log(`  ${seconds(performance.now() - began)}  ${name}`);
}

async function runPhases(wanted: readonly PhaseName[]): Promise<void> {
  const includes = (name: PhaseName) => wanted.includes(name);
  if (includes('check')) await runPhase('check', () => runChecks(tally));
  // Together, because tests on a cluster mostly wait.
  const names = (['unit', 'cluster'] as const).filter(includes);
  const units = includes('unit') ? testFiles.filter(isUnit) : [];
  const clusters = includes('cluster') ? testFiles.filter(needsCluster) : [];
  if (names.length > 0)
    await runPhase(`${names.join(' and ')}: ${units.length + clusters.length} files`, async () =>
      runFiles([...alone(await clusterFiles(clusters)), ...grouped(units)]),
    );
  if (includes('simulation')) await runPhase('simulation', simulate);
  if (includes('coverage')) await runPhase('coverage', cover);
}

function tellFailure({ where, what, detail }: Failure): void {
  console.log(`  ${where}: ${what}\n${indented(detail)}`);
}

function conclude(): void {
  const slowest = times.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST);
  if (slowest.length > 1) console.log('\n# slowest files');
  if (slowest.length > 1) for (const { file, ms } of slowest) console.log(`  ${seconds(ms)}  ${file}`);
  if (tally.skips.length > 0) console.log('\n# skipped');
  for (const { where, what, reason } of tally.skips) console.log(`  ${where}: ${what}: ${reason}`);
  if (tally.failures.length > 0) console.log('\n# failed');
  for (const failure of tally.failures) tellFailure(failure);
  const line = closingLine(tally);
  mkdirSync(join(REPOSITORY, '.tap'), { recursive: true });
  writeFileSync(join(REPOSITORY, CLOSING_FILE), `${line}\n`);
  console.log(`\n${line}`);
}

const words = process.argv.slice(2);
const isPhase = (word: string): word is PhaseName => PHASES.some((name) => name === word);
const parts = words.filter((word) => !isPhase(word));

await runPhases(words.length === 0 ? PHASES.filter((name) => name !== 'coverage') : words.filter(isPhase));
if (parts.length > 0) {
  const files = testFiles.filter((file) => parts.some((part) => file.includes(part)));
  if (files.length === 0) console.log(`no test file and no phase is called ${parts.join(' or ')}`);
  const onCluster = await clusterFiles(files.filter(needsCluster));
  await runFiles(alone([...onCluster, ...files.filter((file) => !needsCluster(file))]));
}
keepTimes(times);
conclude();
process.exitCode = isGood(tally) ? 0 : 1;
