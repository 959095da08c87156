// A statement without its values: what customers typed must not end up in a list that many people read. When in
// doubt more is removed: a sample that was cut inside a text loses its rest.

import type { EngineName } from '../../rds/spec.ts';

type Piece = { pattern: RegExp; as: string };

const comments: Piece[] = [
  { pattern: /\/\*[\s\S]*?(?:\*\/|$)/y, as: ' ' },
  { pattern: /--[^\n]*/y, as: ' ' },
];
/** Quotes are doubled inside; MySQL, and PostgreSQL after E, also escape with a backslash. */
const plainText: Piece = { pattern: /(?:[NnBbXx]|[Uu]&)?'(?:[^']|'')*(?:'|$)/y, as: '?' };
const escapedText: Piece = { pattern: /(?:[NnBbXxEe]|_\w+\s*)?'(?:[^'\\]|\\[\s\S]|'')*(?:'|\\?$)/y, as: '?' };
const numbers: Piece[] = [
  { pattern: /0[xX][0-9a-fA-F]+\b/y, as: '?' },
  { pattern: /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y, as: '?' },
];

const pieces: Record<EngineName, Piece[]> = {
  MySQL: [
    ...comments,
    { pattern: /#[^\n]*/y, as: ' ' },
    escapedText,
    // In MySQL double quotes are texts too, unless a mode says otherwise.
    { pattern: /"(?:[^"\\]|\\[\s\S]|"")*(?:"|\\?$)/y, as: '?' },
    ...numbers,
  ],
  PostgreSQL: [
    ...comments,
    { pattern: /\$(\w*)\$[\s\S]*?(?:\$\1\$|$)/y, as: '?' },
    // A placeholder is no value.
    { pattern: /\$\d+/y, as: '?' },
    { ...escapedText, pattern: /[Ee]'(?:[^'\\]|\\[\s\S]|'')*(?:'|\\?$)/y },
    plainText,
    ...numbers,
  ],
  SQLServer: [...comments, plainText, ...numbers],
};

/** Names are passed over as a whole: the digits in `orders_2025` are no value. */
const name = /[\p{L}_@][\p{L}\p{N}_@$]*|`[^`]*(?:`|$)|\[[^\]]*\]/uy;
const quotedName = /"(?:[^"]|"")*(?:"|$)/y;

export function stripLiterals(statement: string, engine: EngineName): string {
  const names = engine === 'MySQL' ? [name] : [name, quotedName];
  let out = '';
  for (let at = 0; at < statement.length; ) {
    const found = nextPiece(statement, at, pieces[engine], names);
    out += found.text;
    at += found.length;
  }
  return folded(out);
}

function nextPiece(statement: string, at: number, replaced: readonly Piece[], names: readonly RegExp[]) {
  for (const { pattern, as } of replaced) {
    const length = matchAt(pattern, statement, at);
    if (length > 0) return { text: as, length };
  }
  for (const pattern of names) {
    const length = matchAt(pattern, statement, at);
    if (length > 0) return { text: statement.slice(at, at + length), length };
  }
  return { text: statement.charAt(at), length: 1 };
}

function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** Lists of values differ in length only: `IN (?, ?, ?)` and `VALUES (?, ?), (?, ?)` become one. */
function folded(statement: string): string {
  return statement
    .replace(/\s+/g, ' ')
    .replace(/\(\s*\?(?:\s*,\s*\?)+\s*\)/g, '(?)')
    .replace(/\(\?\)(?:\s*,\s*\(\?\))+/g, '(?)')
    .trim();
}
