// What the unit tests reached, by folder, from the summary that tap writes.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { REPOSITORY } from './command.ts';

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

export function readCoverage(): string[] {
  try {
    return coverageByFolder(JSON.parse(readFileSync(join(REPOSITORY, SUMMARY), 'utf8')), REPOSITORY);
  } catch {
    return [];
  }
}
