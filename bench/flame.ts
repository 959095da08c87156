// A CPU profile as a flame graph: who called whom, as wide as its share of the time. SVG that needs no script; the name
// of a frame that is too narrow shows as a tooltip.

import type { Profiler } from 'node:inspector';

const WIDTH = 1_200;
const ROW = 17;
const TOP = 30;
/** Thinner than this is left out. */
const LEAST_SHARE = 0.002;
const CHARACTER = 6.2;
/** What is not work. */
const REST = new Set(['(root)', '(idle)', '(program)']);

type Frame = { name: string; place: string; us: number; below: Map<string, Frame> };

const COLOURS: readonly [RegExp, string][] = [
  [/^src\/sync\/decide/, '#e08a4f'],
  [/^src\/sync/, '#e5b04b'],
  [/^src\/rds/, '#d9c84f'],
  [/^src\/otc/, '#8fbf6a'],
  [/^src\//, '#79b8a8'],
  [/^fastify|^@fastify|^secure-json-parse|^light/, '#7aa6d9'],
  [/^node:/, '#b3b3c6'],
];

export function flameGraph(profile: Profiler.Profile, title: string): string {
  const root = folded(profile);
  const rows: string[] = [];
  const depth = draw(root, { x: 0, row: 0, usPerPixel: root.us / WIDTH }, rows);
  const height = TOP + (depth + 1) * ROW;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    '<g font-family="monospace" font-size="10" fill="#222222">',
    `<text x="4" y="18" font-size="13" font-family="sans-serif" font-weight="bold">${escaped(title)}</text>`,
    ...rows,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

/** Samples as one tree; a function that is called from several places of its caller is one frame. */
function folded({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parentOf = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const root: Frame = { name: 'all', place: '', us: 0, below: new Map() };
  for (const [index, sample] of samples.entries()) {
    const us = timeDeltas[index] ?? 0;
    const stack: Profiler.ProfileNode[] = [];
    for (let id: number | undefined = sample; id !== undefined; id = parentOf.get(id)) {
      const node = byId.get(id);
      if (node && !REST.has(node.callFrame.functionName)) stack.unshift(node);
    }
    if (stack.length > 0) add(root, stack, us);
  }
  return root;
}

function add(root: Frame, stack: readonly Profiler.ProfileNode[], us: number): void {
  root.us += us;
  let frame = root;
  for (const { callFrame } of stack) {
    const place = placeOf(callFrame.url);
    const name = callFrame.functionName || '(anonymous)';
    const key = `${name} ${place}`;
    const next = frame.below.get(key) ?? { name, place, us: 0, below: new Map() };
    frame.below.set(key, next);
    next.us += us;
    frame = next;
  }
}

const placeOf = (url: string): string =>
  url.replace(/^.*\/node_modules\//, '').replace(/^file:\/\/.*?\/(src|bench)\//, '$1/');

type Spot = { x: number; row: number; usPerPixel: number };

/** The deepest row that was drawn. */
function draw(frame: Frame, { x, row, usPerPixel }: Spot, rows: string[]): number {
  const width = frame.us / usPerPixel;
  if (width < WIDTH * LEAST_SHARE) return row - 1;
  const share = `${((100 * width) / WIDTH).toFixed(1)} %`;
  const text = frame.name.slice(0, Math.max(0, Math.floor((width - 4) / CHARACTER)));
  const y = TOP + row * ROW;
  rows.push(
    `<g><title>${escaped(`${frame.name} ${frame.place} ${share}`)}</title>` +
      `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${ROW - 1}" fill="${colourOf(frame)}"/>` +
      `${text.length > 2 ? `<text x="${(x + 2).toFixed(1)}" y="${y + 12}">${escaped(text)}</text>` : ''}</g>`,
  );
  let deepest = row;
  let left = x;
  for (const below of [...frame.below.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    deepest = Math.max(deepest, draw(below, { x: left, row: row + 1, usPerPixel }, rows));
    left += below.us / usPerPixel;
  }
  return deepest;
}

const colourOf = ({ place }: Frame): string =>
  COLOURS.find(([pattern]) => pattern.test(place))?.[1] ?? '#d0d0d0';

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
