// The pages that people read, taken apart into what a test can check: links, headings, fenced blocks, words in code.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export type Block = { page: string; line: number; language: string; text: string };
export type Page = { path: string; text: string; blocks: Block[] };

export const fileOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Fences may be indented, inside a list; the indent is not part of the text. */
export function fencedBlocks(page: string, text: string): Block[] {
  const blocks: Block[] = [];
  let open: (Block & { indent: number }) | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const fence = /^( *)```(\w*)$/.exec(line);
    if (!fence) {
      if (open) open.text += `${line.slice(open.indent)}\n`;
    } else if (open) {
      blocks.push({ page: open.page, line: open.line, language: open.language, text: open.text });
      open = undefined;
    } else {
      const [, indent = '', language = ''] = fence;
      open = { page, line: index + 1, language, text: '', indent: indent.length };
    }
  }
  if (open) throw new Error(`${page}:${open.line}: the block is never closed`);
  return blocks;
}

const pagesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

const readAll = (paths: readonly string[]): Page[] =>
  paths.map((path) => {
    const text = fileOf(path);
    return { path, text, blocks: fencedBlocks(path, text) };
  });

/** README and docs, the generated ones too. */
export const readPages = (): Page[] => readAll(['README.md', ...pagesIn('docs')]);

/** What is found from those, or for whoever works on the project. */
export const readOtherPages = (): Page[] =>
  readAll(['CONTRIBUTING.md', 'CHANGELOG.md', 'deploy/policies/README.md', ...pagesIn('docs/runbooks')]);

export function pageOf(pages: readonly Page[], path: string): Page {
  const page = pages.find((one) => one.path === path);
  if (!page) throw new Error(`there is no ${path}`);
  return page;
}

export function withoutBlocks(text: string): string {
  return text.replace(/^( *)```[\s\S]*?^\1```$/gm, '');
}

/** As GitHub makes them. */
function anchors(text: string): Set<string> {
  const headings = withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Relative links of a page that lead nowhere, each with why. */
export function brokenLinks(path: string, text: string): string[] {
  const links = [...withoutBlocks(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return links
    .filter((target) => !/^[a-z]+:/.test(target))
    .flatMap((target) => {
      const [file = '', anchor] = target.split('#', 2);
      const to = file === '' ? path : posix.join(dirname(path), file);
      if (!existsSync(join(ROOT, to))) return [`${path}: ${target}: there is no ${to}`];
      if (anchor === undefined || anchors(fileOf(to)).has(anchor)) return [];
      return [`${path}: ${target}: ${to} has no such heading`];
    });
}

/** First cells of all tables under a heading, without their backticks. */
export function firstCells(text: string, heading: string): string[] {
  const start = text.indexOf(`\n## ${heading}\n`);
  if (start < 0) throw new Error(`there is no heading ${heading}`);
  const end = text.indexOf('\n## ', start + 1);
  const section = text.slice(start, end < 0 ? undefined : end);
  return [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, cell = '']) => cell);
}

/** `CamelCase` in backticks, and headings of the third level, which name what a section is about. */
export function camelWords(text: string): string[] {
  const inText = withoutBlocks(text).matchAll(/`([A-Z][a-z]+(?:[A-Z][a-z]+)*)`/g);
  return [...inText].map(([, word = '']) => word);
}

/** `make x`, `npm run x`, `npm start` and `npm test`, in blocks and in backticks. */
export function namedCommands(text: string): { make: string[]; npm: string[] } {
  const code = [
    ...fencedBlocks('', text)
      .filter(({ language }) => language === 'sh')
      .map((block) => block.text),
    ...[...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, words = '']) => words),
  ].join('\n');
  const first = (pattern: RegExp) => [...code.matchAll(pattern)].map(([, name = '']) => name);
  return {
    make: first(/^ *make ([a-z]+)/gm),
    npm: [...first(/\bnpm run (?:--silent )?([\w-]+)/g), ...first(/\bnpm (start|test)\b/g)],
  };
}
