// What the unit tests reached, by folder. On demand only: it costs as much again as the tests.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { REPOSITORY, run } from './command.ts';

export const SUMMARY = '.tap/report/coverage-summary.json';

type Share = { total: number; covered: number };
type Summary = Record<string, { lines: Share; branches: Share }>;

const add = (a: Share, b: Share): Share => ({ total: a.total + b.total, covered: a.covered + b.covered });
const percent = ({ total, covered }: Share): string =>
  `${(total === 0 ? 100 : (100 * covered) / total).toFixed(1)} %`.padStart(8);

export function coverageByFolder(summary: Summary, root: string): string[] {
  const none = { total: 0, covered: 0 };
  const folders = new Map<string, { lines: Share; branches: Share }>();
  for (const [file, { lines, branches }] of Object.entries(summary)) {
    const folder = file === 'total' ? 'all' : dirname(relative(root, file)).replaceAll('\\', '/');
    if (folder !== 'all' && !folder.startsWith('src')) continue;
    const sum = folders.get(folder) ?? { lines: none, branches: none };
    folders.set(folder, { lines: add(sum.lines, lines), branches: add(sum.branches, branches) });
  }
  return [...folders]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([folder, { lines, branches }]) => `${percent(lines)} lines ${percent(branches)} branches  ${folder}`,
    );
}

export function freshCoverageFolder(): string {
  const folder = join(REPOSITORY, '.tap/coverage');
  for (const old of [folder, join(REPOSITORY, SUMMARY)]) rmSync(old, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

export async function coverageReport(folder: string): Promise<string[]> {
  const where = [`--temp-directory=${folder}`, `--reports-dir=${dirname(SUMMARY)}`];
  const { ok, output } = await run([
    'c8',
    'report',
    ...where,
    '--reporter=json-summary',
    '--include=src/**',
    '--merge-async',
  ]);
  if (!ok) return [output];
  return coverageByFolder(JSON.parse(readFileSync(join(REPOSITORY, SUMMARY), 'utf8')), REPOSITORY);
}
