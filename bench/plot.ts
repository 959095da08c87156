// A small line chart as SVG, readable on light and dark pages.

import type { Plot } from './figure.ts';

const WIDTH = 640;
const HEIGHT = 260;
const EDGE = { left: 64, right: 20, top: 34, bottom: 42 };
const COLOURS = ['#2f6fb5', '#b5532f', '#3f8f4f', '#8a5fb0'];
const STEPS = 4;

type Scale = (value: number) => number;

const label = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : String(Number(value.toPrecision(2)));

const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export function svg(plot: Plot): string {
  const points = plot.series.flatMap((series) => series.points);
  const along = (value: number) => (plot.logX ? Math.log10(value) : value);
  const xs = points.map(({ x }) => along(x));
  const top = Math.max(...points.map(({ y }) => y), plot.limit?.y ?? 0) * 1.15 || 1;
  const x = scale([Math.min(...xs), Math.max(...xs)], [EDGE.left, WIDTH - EDGE.right]);
  const y = scale([0, top], [HEIGHT - EDGE.bottom, EDGE.top]);
  const at = (value: number) => x(along(value));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(plot.title)}">`,
    '<rect width="100%" height="100%" fill="#ffffff"/>',
    '<g font-family="sans-serif" font-size="12" fill="#333333">',
    `<text x="${EDGE.left}" y="18" font-weight="bold">${escaped(plot.title)}</text>`,
    ...grid(top, y, plot.y),
    ...marks(
      points.map((point) => point.x),
      at,
      plot.x,
    ),
    ...limitLine(plot, y),
    ...plot.series.flatMap((series, index) => curve(series, COLOURS[index % COLOURS.length] ?? '', at, y)),
    ...legend(plot),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function scale([low, high]: [number, number], [from, to]: [number, number]): Scale {
  const span = high - low || 1;
  return (value) => Number((from + ((value - low) / span) * (to - from)).toFixed(1));
}

function grid(top: number, y: Scale, name: string): string[] {
  const lines = Array.from({ length: STEPS + 1 }, (_, step) => {
    const value = (top * step) / STEPS;
    const height = y(value);
    return (
      `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${height}" y2="${height}" stroke="#dddddd"/>` +
      `<text x="${EDGE.left - 6}" y="${height + 4}" text-anchor="end">${label(value)}</text>`
    );
  });
  const middle = (EDGE.top + HEIGHT - EDGE.bottom) / 2;
  return [
    ...lines,
    `<text x="14" y="${middle}" text-anchor="middle" transform="rotate(-90 14 ${middle})">${escaped(name)}</text>`,
  ];
}

function marks(values: number[], at: Scale, name: string): string[] {
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  const every = Math.ceil(distinct.length / 10);
  return [
    ...distinct
      .filter((_, index) => index % every === 0)
      .map(
        (value) =>
          `<text x="${at(value)}" y="${HEIGHT - EDGE.bottom + 16}" text-anchor="middle">${value}</text>`,
      ),
    `<text x="${(EDGE.left + WIDTH - EDGE.right) / 2}" y="${HEIGHT - 6}" text-anchor="middle">${escaped(name)}</text>`,
  ];
}

function limitLine({ limit }: Plot, y: Scale): string[] {
  if (!limit) return [];
  const height = y(limit.y);
  return [
    `<line x1="${EDGE.left}" x2="${WIDTH - EDGE.right}" y1="${height}" y2="${height}" stroke="#888888" stroke-dasharray="6 4"/>`,
    `<text x="${WIDTH - EDGE.right}" y="${height - 5}" text-anchor="end" fill="#666666">${escaped(limit.name)} ${limit.y}</text>`,
  ];
}

function curve(series: Plot['series'][number], colour: string, at: Scale, y: Scale): string[] {
  const points = series.points.map((point) => `${at(point.x)},${y(point.y)}`);
  return [
    `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.join(' ')}"/>`,
    ...series.points.map(
      (point) => `<circle cx="${at(point.x)}" cy="${y(point.y)}" r="3" fill="${colour}"/>`,
    ),
  ];
}

function legend({ series }: Plot): string[] {
  if (series.length < 2) return [];
  return series.map(
    ({ name }, index) =>
      `<text x="${EDGE.left + 10 + index * 170}" y="${EDGE.top + 12}" fill="${COLOURS[index % COLOURS.length]}">${escaped(name)}</text>`,
  );
}
