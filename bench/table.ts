// Figures as text for a terminal, and as Markdown for the docs.

import type { Figure, Line } from './figure.ts';

const verdict = ({ isMet }: Line): string => (isMet === undefined ? '' : isMet ? 'met' : 'missed');

const cells = (line: Line): string[] => [
  line.what,
  line.value,
  line.spread ?? '',
  line.target ?? '',
  verdict(line),
];

const HEAD = ['measured', 'median', 'quartiles', 'target', ''];

export function textTable(figure: Figure): string {
  const rows = figure.lines.map(cells);
  const widths = HEAD.map((_, column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const text = rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
  );
  return [figure.title, ...text, ...figure.notes.map((note) => `  (${note})`), ''].join('\n');
}

export function markdown(figure: Figure): string {
  const row = (values: string[]) => `| ${values.join(' | ')} |`;
  const table =
    figure.lines.length > 0
      ? [row(HEAD), row(HEAD.map(() => '---')), ...figure.lines.map((line) => row(cells(line)))]
      : [];
  const plots = [...figure.plots, ...(figure.pictures ?? [])].map(
    ({ name, title }) => `![${title}](images/${name}.svg)`,
  );
  return [`### ${figure.title}`, '', ...table, '', ...figure.notes, '', ...plots, '']
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');
}
