// What goes to the terminal: colours only for people, tables that line up, and no control characters from elsewhere.

export type Colour = 'red' | 'green' | 'yellow' | 'bold' | 'dim';
export type Paint = (colour: Colour, text: string) => string;

const CODES: Record<Colour, string> = { red: '31', green: '32', yellow: '33', bold: '1', dim: '2' };

export const createPaint =
  (isColourful: boolean): Paint =>
  (colour, text) =>
    isColourful ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;

/** Text from the cloud, from a log or from another user must not steer the terminal. */
export const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trimEnd();

export type Cell = string | { text: string; colour: Colour };

export function table(header: readonly string[], rows: readonly (readonly Cell[])[], paint: Paint): string {
  const textOf = (cell: Cell) => plain(typeof cell === 'string' ? cell : cell.text) || '-';
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => textOf(row[column] ?? '').length)),
  );
  const line = (cells: readonly Cell[], last: number) =>
    cells
      .map((cell, column) => {
        const text = textOf(cell);
        const padded = column === last ? text : text.padEnd((widths[column] ?? 0) + 2);
        return typeof cell === 'string' ? padded : paint(cell.colour, text) + padded.slice(text.length);
      })
      .join('')
      .trimEnd();
  const last = header.length - 1;
  return [header, ...rows].map((cells) => `${line(cells, last)}\n`).join('');
}

/** `12m`, `3h`, `5d`: as kubectl tells ages. */
export function age(since: string | undefined, nowMs: number): string {
  const seconds = Math.floor((nowMs - Date.parse(since ?? '')) / 1000);
  if (Number.isNaN(seconds)) return '-';
  if (seconds < 120) return `${Math.max(seconds, 0)}s`;
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** Breaks at spaces; every line but the first begins with the indent. */
export function wrapped(text: string, indent: number, width = 100): string {
  const lines: string[] = [];
  let line = '';
  for (const word of plain(text).split(' ')) {
    if (line !== '' && line.length + word.length + 1 > width - indent) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`);
}
