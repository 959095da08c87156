// Puts the table on a terminal in place, or prints changed lines where output is a file or a pipe.

import { formatTable, type Row } from './table.ts';

export type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number };

export type TableWriter = { draw(rows: readonly Row[]): void };

export const createTableWriter = (output: Output): TableWriter =>
  output.isTTY ? inPlace(output) : lineByLine(output);

const inPlace = (output: Output): TableWriter => {
  let height = 0;
  let last = '';
  return {
    draw(rows) {
      const lines = formatTable(rows, { columns: output.columns, color: true });
      const text = lines.join('\n');
      if (text === last) return;
      // Up to the first line of the last table, then clear what is below.
      output.write(`${height > 0 ? `\u001b[${height}A\r\u001b[0J` : ''}${text}\n`);
      height = lines.length;
      last = text;
    },
  };
};

const lineByLine = (output: Output): TableWriter => {
  const printed = new Map<string, string>();
  let hasHeader = false;
  return {
    draw(rows) {
      const [header = '', ...lines] = formatTable(rows);
      const keys = rows.map(([namespace, name]) => `${namespace}/${name}`);
      if (!hasHeader && rows.length > 0) output.write(`${header}\n`);
      hasHeader ||= rows.length > 0;
      rows.forEach((row, index) => {
        const key = keys[index] ?? '';
        const content = row.join('\t');
        if (printed.get(key) !== content) output.write(`${lines[index]}\n`);
        printed.set(key, content);
      });
      for (const key of [...printed.keys()]) {
        if (keys.includes(key)) continue;
        printed.delete(key);
        output.write(`${key} is gone\n`);
      }
    },
  };
};
