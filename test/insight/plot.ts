// A panel as a small SVG, for docs: what Grafana would draw from the same query.
import type { Result } from './monitored.ts';

const COLOURS = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#17becf'];
const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [460, 200, 62, 28, 44];

export type Line = { label: string; points: [number, number][] };

export function linesOf(results: readonly Result[], legend: string): Line[] {
  return results.map(({ metric, values }) => ({
    label: legend.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => metric[name] ?? ''),
    points: values
      .map(([at, value]): [number, number] => [at, Number(value)])
      .filter(([, value]) => Number.isFinite(value)),
  }));
}

const units: Record<string, (value: number) => string> = {
  percentunit: (value) => `${Math.round(value * 100)} %`,
  bytes: (value) => `${(value / 1024 ** 3).toFixed(1)} GiB`,
  s: (value) => (value >= 120 ? `${(value / 60).toFixed(0)} min` : `${value.toPrecision(2)} s`),
};
const plain = (value: number) => (value >= 1_000 ? value.toFixed(0) : `${Number(value.toPrecision(3))}`);
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

type Plot = { title: string; lines: readonly Line[]; unit?: string | undefined; max?: number | undefined };

/** One panel, to be placed at x and y. */
function panelSvg({ title, lines, unit, max }: Plot, x: number, y: number): string {
  const points = lines.flatMap((line) => line.points);
  const times = points.map(([at]) => at);
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const top = max ?? (Math.max(...points.map(([, value]) => value), 0) * 1.1 || 1);
  const across = (at: number) => LEFT + ((at - from) / (to - from || 1)) * (WIDTH - LEFT - 12);
  const up = (value: number) => HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM);
  const shown = units[unit ?? ''] ?? plain;
  const grid = [0, 0.5, 1].map((part) => {
    const at = up(top * part).toFixed(1);
    return `<path d="M${LEFT} ${at}H${WIDTH - 12}" stroke="#ddd"/><text x="${LEFT - 6}" y="${at}" text-anchor="end" dy="4">${shown(top * part)}</text>`;
  });
  const drawn = lines.map(({ points: own }, index) => {
    const path = own.map(([at, value]) => `${across(at).toFixed(1)} ${up(value).toFixed(1)}`).join('L');
    return `<path d="M${path}" fill="none" stroke="${COLOURS[index % COLOURS.length]}" stroke-width="1.8"/>`;
  });
  const legend = lines.slice(0, 4).map(({ label }, index) => {
    const column = LEFT + (index % 2) * 195;
    const row = HEIGHT - 24 + Math.floor(index / 2) * 15;
    return `<rect x="${column}" y="${row - 8}" width="9" height="9" fill="${COLOURS[index % COLOURS.length]}"/><text x="${column + 14}" y="${row}">${escaped(label)}</text>`;
  });
  return `<g transform="translate(${x} ${y})"><rect width="${WIDTH}" height="${HEIGHT}" fill="#fff" stroke="#ccc"/><text x="10" y="18" font-weight="bold">${escaped(title)}</text>${[...grid, ...drawn, ...legend].join('')}</g>`;
}

export function dashboardSvg(panels: readonly Plot[]): string {
  const step = { x: WIDTH + 10, y: HEIGHT + 10 };
  const placed = panels.map((panel, index) =>
    panelSvg(panel, 10 + (index % 2) * step.x, 10 + Math.floor(index / 2) * step.y),
  );
  const height = 10 + Math.ceil(panels.length / 2) * step.y;
  const width = 10 + 2 * step.x;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="#f4f5f5"/>\n${placed.join('\n')}\n</svg>\n`;
}
