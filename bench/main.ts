// `make bench`: every figure as a ratio inside this run. Flags: --quick (under a minute), --tiny (does it run at all),
// --only=name,name, --write (into docs/performance.md and docs/images).

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Figure, Setting } from './figure.ts';
import { badDays } from './figures/bad-days.ts';
import { cloudCost } from './figures/cloud-cost.ts';
import { fleet } from './figures/fleet.ts';
import { growth } from './figures/growth.ts';
import { hookCost } from './figures/hook-cost.ts';
import { realCluster } from './figures/real-cluster.ts';
import { start } from './figures/start.ts';
import { svg } from './plot.ts';
import { hasCores } from './processes/start.ts';
import { markdown, textTable } from './table.ts';

const FIGURES: Record<string, (setting: Setting) => Promise<Figure>> = {
  'hook-cost': hookCost,
  'cloud-cost': cloudCost,
  fleet,
  'real-cluster': realCluster,
  growth,
  'bad-days': badDays,
  start,
};

const DOCS = join(import.meta.dirname, '..', 'docs');
const MARKS = ['<!-- bench: begin -->', '<!-- bench: end -->'] as const;

function machine(): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(', ');
  const cores = hasCores ? 'server and client on a core each' : 'cores not pinned';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${availableParallelism()} cores of ${model}, ${memory} GB, Node ${process.version}, ${cores}; load ${load}`;
}

/** Figures that were not taken this time stay, and say so. */
function earlier(body: string, taken: readonly string[]): string[] {
  const sections = body.split(/^(?=### )/m).slice(1);
  return sections.flatMap((section) => {
    const [title = '', ...rest] = section.replace('Of an earlier run.\n\n', '').split('\n');
    return taken.includes(title.slice('### '.length)) ? [] : [title, '', 'Of an earlier run.', ...rest];
  });
}

function write(figures: Figure[], head: string): void {
  const file = join(DOCS, 'performance.md');
  const text = readFileSync(file, 'utf8');
  const [begin, end] = MARKS.map((mark) => text.indexOf(mark));
  if (begin === undefined || end === undefined || begin < 0 || end < begin)
    throw new Error(`${file} has no place for the figures`);
  const kept = earlier(
    text.slice(begin, end),
    figures.map(({ title }) => title),
  );
  const body = [MARKS[0], '', head, '', ...figures.map(markdown), ...kept].join('\n');
  writeFileSync(file, `${text.slice(0, begin)}${body}${text.slice(end)}`);
  mkdirSync(join(DOCS, 'images'), { recursive: true });
  for (const plot of figures.flatMap(({ plots }) => plots))
    writeFileSync(join(DOCS, 'images', `${plot.name}.svg`), svg(plot));
  for (const picture of figures.flatMap(({ pictures = [] }) => pictures))
    writeFileSync(join(DOCS, 'images', `${picture.name}.svg`), picture.svg);
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    tiny: { type: 'boolean', default: false },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const scale = values.tiny ? 'tiny' : values.quick ? 'quick' : 'full';
const names = values.only?.split(',') ?? Object.keys(FIGURES);
const folder = mkdtempSync(join(tmpdir(), 'rds-pilot-bench-'));
const startedAt = performance.now();
const before = `Before: ${machine()}`;
console.log(`${before}\n`);
const figures: Figure[] = [];
try {
  for (const name of names) {
    const measure = FIGURES[name];
    if (!measure) throw new Error(`--only: ${name} is none of ${Object.keys(FIGURES).join(', ')}`);
    const figure = await measure({ scale, folder });
    figures.push(figure);
    console.log(textTable(figure));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const seconds = Math.round((performance.now() - startedAt) / 1_000);
const after = `After ${seconds} s: load ${loadavg()
  .map((value) => value.toFixed(1))
  .join(', ')}`;
const missed = figures.flatMap(({ lines }) => lines).filter(({ isMet }) => isMet === false).length;
console.log(`${after}; ${missed === 0 ? 'every target is met' : `${missed} targets are missed`}`);
if (values.write) write(figures, `${before}. ${after}.`);
// Connections to programs that are gone would keep this one.
process.exit(0);
