// Load, disk and flavor over time, as SVG drawn by hand: three lines in percent, and below them what machine and
// disk there were.

import { byId, make, setText } from './dom.js';

/** The smallest that holds all samples: a new database fills the picture too. */
const SPANS_MINUTES = [1, 2, 5];
const HEIGHT = 220;
const PLOT = { top: 8, bottom: 150, left: 34, right: 8 };
const STRIPS = [
  { field: 'flavor', top: 172, label: ({ flavor }) => flavor.split('.').slice(2).join('.') },
  { field: 'volumeGb', top: 198, label: ({ volumeGb }) => `${volumeGb} GB disk` },
];
const STRIP_HEIGHT = 20;
/** Wider than the usual gap between two samples: the database was down. */
const GAP_MS = 3500;

const LINES = [
  { field: 'cpu', label: 'CPU' },
  { field: 'mem', label: 'Memory' },
  { field: 'disk', label: 'Disk' },
];

function svg(tag, attributes = {}, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

export function createChart() {
  const home = byId('chart');
  const picture = svg('svg', { role: 'img', height: HEIGHT });
  const grid = svg('g', { class: 'grid' });
  const strips = svg('g', { class: 'strips' });
  const paths = LINES.map(({ field }) => svg('path', { class: `line ${field}` }));
  picture.append(grid, ...paths, strips);
  home.append(picture);
  const legend = LINES.map(({ field, label }) => {
    const value = make('b');
    byId('legend').append(
      make('li', { class: field }, make('i', { 'aria-hidden': 'true' }), `${label} `, value),
    );
    return { field, value };
  });
  let samples = [];
  let width = 0;
  let spanMinutes;

  function drawGrid() {
    const right = width - PLOT.right;
    const rows = [0, 50, 100].flatMap((percent) => {
      const y = yOf(percent);
      return [
        svg('line', { x1: PLOT.left, x2: right, y1: y, y2: y }),
        svg('text', { x: PLOT.left - 6, y: y + 4, 'text-anchor': 'end' }, `${percent}`),
      ];
    });
    const begin = spanMinutes === 1 ? 'a minute ago' : `${spanMinutes} minutes ago`;
    const y = PLOT.bottom + 15;
    grid.replaceChildren(
      ...rows,
      svg('text', { x: PLOT.left, y }, begin),
      svg('text', { x: right, y, 'text-anchor': 'end' }, 'now'),
    );
    setText(byId('chart-span'), spanMinutes === 1 ? 'the last minute' : `the last ${spanMinutes} minutes`);
  }

  function stretch(ageMs) {
    const wanted = SPANS_MINUTES.find((minutes) => minutes * 60_000 >= ageMs) ?? SPANS_MINUTES.at(-1);
    if (wanted === spanMinutes) return;
    spanMinutes = wanted;
    drawGrid();
  }

  const yOf = (percent) => PLOT.bottom - (percent / 100) * (PLOT.bottom - PLOT.top);
  const xOf = (at, now) => {
    const right = width - PLOT.right;
    return right - Math.min(1, (now - at) / (spanMinutes * 60_000)) * (right - PLOT.left);
  };

  function pathOf(field, now) {
    let before;
    return samples
      .filter((sample) => sample[field] !== undefined)
      .map((sample) => {
        const isApart = before === undefined || sample.at - before > GAP_MS;
        before = sample.at;
        return `${isApart ? 'M' : 'L'}${xOf(sample.at, now).toFixed(1)} ${yOf(sample[field]).toFixed(1)}`;
      })
      .join('');
  }

  /** Runs of the same value: from when, until when. */
  function runsOf(field) {
    const runs = [];
    for (const sample of samples) {
      const last = runs.at(-1);
      if (last && last.sample[field] === sample[field]) last.until = sample.at;
      else runs.push({ sample, from: last?.until ?? sample.at, until: sample.at });
    }
    return runs;
  }

  function stripOf({ field, top, label }, now) {
    return runsOf(field).flatMap(({ sample, from, until }, index) => {
      const x = xOf(from, now);
      const size = Math.max(2, xOf(until, now) - x);
      const box = svg('rect', {
        class: index % 2 ? 'odd' : 'even',
        x,
        y: top,
        width: size,
        height: STRIP_HEIGHT,
        rx: 4,
      });
      const text = label(sample);
      const fits = size > text.length * 6.6 + 10;
      const title = svg('title', {}, text);
      box.append(title);
      return fits ? [box, svg('text', { x: x + 7, y: top + 14 }, text)] : [box];
    });
  }

  function draw() {
    if (width === 0) return;
    const last = samples.at(-1);
    const now = last?.at ?? 0;
    stretch(now - (samples[0]?.at ?? 0));
    LINES.forEach(({ field }, index) => {
      paths[index].setAttribute('d', pathOf(field, now));
    });
    strips.replaceChildren(...STRIPS.flatMap((strip) => stripOf(strip, now)));
    for (const { field, value } of legend)
      setText(value, last?.[field] === undefined ? '–' : `${Math.round(last[field])} %`);
    const told = LINES.map(({ field, label }) => `${label} ${last?.[field] ?? 'unknown'} percent`).join(', ');
    picture.setAttribute(
      'aria-label',
      last ? `${told}, machine ${last.flavor}, disk ${last.volumeGb} GB` : 'No load yet',
    );
    picture.dataset.samples = samples.length;
  }

  new ResizeObserver(([{ contentRect }]) => {
    width = Math.floor(contentRect.width);
    picture.setAttribute('width', width);
    picture.setAttribute('viewBox', `0 0 ${width} ${HEIGHT}`);
    spanMinutes = undefined;
    draw();
  }).observe(home);

  return {
    clear() {
      samples = [];
      draw();
    },
    add(more) {
      const from = (more.at(-1)?.at ?? 0) - SPANS_MINUTES.at(-1) * 60_000;
      samples = [...samples, ...more].filter(({ at }) => at >= from);
      draw();
    },
    last: () => samples.at(-1),
  };
}
