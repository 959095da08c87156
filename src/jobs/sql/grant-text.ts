// GRANT statements of MySQL as text: a reader so strict that whatever it accepts can be written again from
// what it understood. Nothing that a person wrote is ever sent to a server as it stands.

import { Refused } from './names.ts';

export type Token =
  | { kind: 'word'; text: string }
  | { kind: 'quoted'; text: string; by: '`' | "'" | '"' }
  | { kind: 'mark'; text: string };

export type GrantHead = {
  /** Upper case, single spaces. */
  privileges: string[];
  /** Some privilege is limited to columns. */
  hasColumns: boolean;
  /** undefined: all databases. As written, with `\_` and `\%` for plain characters. */
  database: string | undefined;
  /** undefined: everything in the database. */
  table: string | undefined;
  rest: Token[];
};

const WORD = /[\p{L}\p{N}_$]/u;

export function tokensOf(text: string): Token[] {
  const chars = [...text];
  const tokens: Token[] = [];
  let at = 0;
  while (at < chars.length) {
    const char = chars[at] ?? '';
    if (/\s/u.test(char)) at += 1;
    else if (char === '`' || char === "'" || char === '"') {
      const { body, next } = quotedAt(chars, at, char);
      tokens.push({ kind: 'quoted', text: body, by: char });
      at = next;
    } else if (WORD.test(char)) {
      let end = at;
      while (WORD.test(chars[end] ?? '')) end += 1;
      tokens.push({ kind: 'word', text: chars.slice(at, end).join('') });
      at = end;
    } else {
      // Everything else that is not part of a plain GRANT, comments and separators too, is refused by its reader.
      tokens.push({ kind: 'mark', text: char });
      at += 1;
    }
  }
  return tokens;
}

function quotedAt(chars: string[], start: number, by: string): { body: string; next: number } {
  let body = '';
  for (let at = start + 1; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === by) {
      if (chars[at + 1] !== by) return { body, next: at + 1 };
      at += 1;
      body += by;
    } else if (char === '\\' && by !== '`')
      throw new Refused('a backslash in quotes can be read in two ways');
    else body += char;
  }
  throw new Refused('a quote is not closed');
}

export const isWord = (token: Token | undefined, word: string): boolean =>
  token?.kind === 'word' && token.text.toUpperCase() === word;

export const isMark = (token: Token | undefined, mark: string): boolean =>
  token?.kind === 'mark' && token.text === mark;

/** `GRANT … ON … TO`; undefined when it is no grant on databases or tables (a role, a proxy, a routine). */
export function grantHead(tokens: Token[]): GrantHead | undefined {
  if (!isWord(tokens[0], 'GRANT')) return undefined;
  const on = tokens.findIndex((token) => isWord(token, 'ON'));
  const to = tokens.findIndex((token, index) => index > on && isWord(token, 'TO'));
  if (on < 0 || to < 0) return undefined;
  const privileges = privilegesOf(tokens.slice(1, on));
  const target = targetOf(tokens.slice(on + 1, to));
  return privileges && target ? { ...privileges, ...target, rest: tokens.slice(to + 1) } : undefined;
}

function privilegesOf(tokens: Token[]): { privileges: string[]; hasColumns: boolean } | undefined {
  const privileges: string[] = [];
  let words: string[] = [];
  let depth = 0;
  let hasColumns = false;
  for (const token of [...tokens, { kind: 'mark', text: ',' } as const]) {
    if (isMark(token, '(')) {
      depth += 1;
      hasColumns = true;
    } else if (isMark(token, ')')) depth -= 1;
    else if (depth > 0) continue;
    else if (isMark(token, ',')) {
      if (words.length === 0) return undefined;
      privileges.push(words.join(' ').toUpperCase());
      words = [];
    } else if (token.kind === 'word') words.push(token.text);
    else return undefined;
  }
  return depth === 0 ? { privileges, hasColumns } : undefined;
}

function targetOf(tokens: Token[]): Pick<GrantHead, 'database' | 'table'> | undefined {
  const parts = isWord(tokens[0], 'TABLE') && tokens.length > 3 ? tokens.slice(1) : tokens;
  const [database, dot, table] = parts;
  if (parts.length !== 3 || !isMark(dot, '.')) return undefined;
  if (isMark(database, '*'))
    return isMark(table, '*') ? { database: undefined, table: undefined } : undefined;
  if (!isName(database)) return undefined;
  if (isMark(table, '*')) return { database: database.text, table: undefined };
  return isName(table) ? { database: database.text, table: table.text } : undefined;
}

function isName(token: Token | undefined): token is Token & { kind: 'word' | 'quoted' } {
  return token?.kind === 'word' || (token?.kind === 'quoted' && token.by === '`');
}
