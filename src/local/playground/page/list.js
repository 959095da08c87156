// The list of databases: one button each, updated in place so that focus and scroll position stay.

import { byId, make, setData, setText } from './dom.js';

export function createList({ onChoose }) {
  const list = byId('rows');
  const filter = byId('filter');
  const nodes = new Map();
  const rows = new Map();
  let chosen;

  function nodeOf(key) {
    const known = nodes.get(key);
    if (known) return known;
    const parts = {
      name: make('span', { class: 'name' }),
      space: make('span', { class: 'muted' }),
      phase: make('span', { class: 'badge' }),
      facts: make('span', { class: 'muted facts-line' }),
      load: make('span', { class: 'muted' }),
      meter: make('span', { class: 'meter', 'aria-hidden': 'true' }, make('i')),
    };
    const button = make(
      'button',
      { type: 'button' },
      make(
        'span',
        { class: 'row-head' },
        make('span', { class: 'row-name' }, parts.name, parts.space),
        parts.phase,
      ),
      make('span', { class: 'row-head' }, parts.facts, parts.load),
      parts.meter,
    );
    button.addEventListener('click', () => onChoose(key));
    const node = { item: make('li', {}, button), button, ...parts };
    nodes.set(key, node);
    return node;
  }

  function draw(row) {
    const node = nodeOf(row.key);
    setText(node.name, row.name);
    setText(node.space, row.namespace);
    setText(node.phase, row.phase);
    setData(node.phase, 'tone', row.tone);
    setText(node.facts, [row.engine, `${row.volumeGb ?? '–'} GB`].join(' · '));
    setText(node.load, row.cpu === undefined ? '' : `cpu ${row.cpu} %`);
    node.meter.firstChild.style.width = `${row.cpu ?? 0}%`;
    if (!node.item.isConnected) insert(row.key, node.item);
    show(row, node);
  }

  /** Sorted by key, without moving what is there. */
  function insert(key, item) {
    const later = [...nodes.keys()].filter((other) => other > key && nodes.get(other).item.isConnected);
    const next = later.reduce(
      (least, other) => (least === undefined || other < least ? other : least),
      undefined,
    );
    list.insertBefore(item, next === undefined ? null : nodes.get(next).item);
  }

  function show(row, node) {
    const wanted = filter.value.trim().toLowerCase();
    const hidden = wanted !== '' && !`${row.key} ${row.phase}`.toLowerCase().includes(wanted);
    if (node.item.hidden !== hidden) node.item.hidden = hidden;
  }

  function count() {
    const ready = [...rows.values()].filter(({ tone }) => tone === 'good').length;
    setText(byId('list-count'), rows.size === 0 ? '' : `${ready} of ${rows.size} ready`);
    byId('no-rows').hidden = rows.size > 0;
  }

  filter.addEventListener('input', () => {
    for (const row of rows.values()) show(row, nodeOf(row.key));
  });

  return {
    rows,
    update({ isAll, rows: changed, removed }) {
      const present = new Set(changed.map(({ key }) => key));
      const gone = isAll ? [...rows.keys()].filter((key) => !present.has(key)) : removed;
      for (const key of gone) {
        nodes.get(key)?.item.remove();
        nodes.delete(key);
        rows.delete(key);
      }
      for (const row of changed) {
        rows.set(row.key, row);
        draw(row);
      }
      count();
    },
    choose(key) {
      if (chosen) nodes.get(chosen)?.button.removeAttribute('aria-current');
      chosen = key;
      if (key) nodes.get(key)?.button.setAttribute('aria-current', 'true');
    },
  };
}
