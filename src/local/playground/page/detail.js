// One database: facts, plan, conditions, children, and what happened to it.

import { byId, make, setData, setText } from './dom.js';

const MOST_ENTRIES = 250;
const KINDS = {
  user: 'You',
  hook: 'Hook',
  decision: 'Decision',
  condition: 'Condition',
  alarm: 'Alarm',
  fault: 'Fault',
};
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });

export function createDetail() {
  const timeline = byId('timeline');
  const entries = new Map();
  tabs();
  // What scrolls must be reachable by keyboard.
  for (const node of document.querySelectorAll('[role=tabpanel], .scroll-x')) node.tabIndex = 0;

  function drawEntry(entry) {
    const item = make(
      'li',
      { 'data-kind': entry.kind, 'data-tone': entry.tone },
      make('time', { datetime: new Date(entry.at).toISOString(), text: clock.format(entry.at) }),
      make('span', { class: 'kind', text: KINDS[entry.kind] ?? entry.kind }),
      make(
        'div',
        { class: 'what' },
        make('b', { text: entry.title }),
        ...(entry.count > 1 ? [make('span', { class: 'count', text: `${entry.count} times` })] : []),
        make('span', { class: 'text', text: entry.text }),
        ...callsOf(entry.calls),
      ),
    );
    const known = entries.get(entry.id);
    if (known) known.replaceWith(item);
    else timeline.prepend(item);
    entries.set(entry.id, item);
  }

  function drawList(id, pairs, none) {
    const list = byId(id);
    const text = JSON.stringify(pairs);
    if (list.dataset.drawn === text) return;
    list.dataset.drawn = text;
    list.replaceChildren(
      ...(pairs.length > 0
        ? pairs.map(({ term, tag, tone, text: value }) =>
            make(
              'div',
              {},
              make(
                'dt',
                {},
                term,
                ...(tag ? [make('span', { class: 'badge', 'data-tone': tone, text: tag })] : []),
              ),
              make('dd', { text: value }),
            ),
          )
        : [make('div', {}, make('dt', { text: none }), make('dd', { text: '' }))]),
    );
  }

  return {
    clear(row) {
      entries.clear();
      timeline.replaceChildren();
      byId('facts').replaceChildren();
      byId('plan').hidden = true;
      for (const id of ['conditions', 'children', 'facts']) delete byId(id).dataset.drawn;
      setText(byId('rds-title'), row ? row.name : 'No database is chosen');
      byId('rds-phase').hidden = true;
      setText(byId('rds-message'), row ? '' : 'Choose one from the list, or apply a manifest.');
    },
    head(row) {
      setText(byId('rds-title'), `${row.namespace} / ${row.name}`);
      const phase = byId('rds-phase');
      phase.hidden = false;
      setText(phase, row.phase);
      setData(phase, 'tone', row.tone);
      setText(
        byId('rds-message'),
        row.message || (row.phase === 'Ready' ? 'The database is up, and nothing is to be done.' : ''),
      );
    },
    gone() {
      setData(byId('rds-phase'), 'tone', 'busy');
      setText(byId('rds-phase'), 'Gone');
      setText(
        byId('rds-message'),
        'The object is deleted. Its story stays below until you choose another one.',
      );
      byId('plan').hidden = true;
    },
    show(detail) {
      drawFacts(detail.facts);
      drawPlan(detail.plan);
      drawList(
        'conditions',
        detail.conditions.map(({ type, status, reason, message }) => ({
          term: type,
          tag: status,
          tone: status === 'True' ? 'good' : 'busy',
          text: `${reason}: ${message}`,
        })),
        'No condition yet.',
      );
      drawList(
        'children',
        detail.children.map(({ kind, name, facts }) => ({ term: `${kind} ${name}`, text: facts })),
        'No children yet.',
      );
    },
    tell(more) {
      for (const entry of more) drawEntry(entry);
      while (timeline.children.length > MOST_ENTRIES) timeline.lastChild.remove();
    },
  };
}

/** Writes and failures one by one, reads that went well as a number. */
function callsOf(calls) {
  const isQuiet = ({ method, result }) => method === 'GET' && result.startsWith('2');
  const reads = calls.filter(isQuiet).length;
  const told = calls
    .filter((call) => !isQuiet(call))
    .map(({ method, route, result, ms }) =>
      make(
        'li',
        { 'data-ok': String(result.startsWith('2')) },
        make('code', { text: `${method} ${route}` }),
        ` ${result}, ${ms} ms`,
      ),
    );
  if (reads > 0) told.push(make('li', { text: `${reads} ${reads === 1 ? 'read' : 'reads'} of the cloud` }));
  return told.length > 0 ? [make('ul', { class: 'calls', 'aria-label': 'Calls to the cloud' }, ...told)] : [];
}

function drawFacts(facts) {
  const list = byId('facts');
  const text = JSON.stringify(facts);
  if (list.dataset.drawn === text) return;
  list.dataset.drawn = text;
  list.replaceChildren(
    ...facts.map(({ name, value }) =>
      make('div', {}, make('dt', { text: name }), make('dd', { text: value })),
    ),
  );
}

function drawPlan(plan) {
  byId('plan').hidden = plan.length === 0;
  byId('plan-rows').replaceChildren(
    ...plan.map(({ field, from, to, impact, when }) =>
      make(
        'tr',
        {},
        make('th', { scope: 'row', text: field }),
        make('td', { text: from }),
        make('td', { text: to }),
        make(
          'td',
          {},
          make('span', { class: 'badge', 'data-tone': impact === 'none' ? 'good' : 'busy', text: impact }),
        ),
        make('td', { text: when }),
      ),
    ),
  );
}

/** Arrow keys move between the tabs, as the pattern of ARIA has it. */
function tabs() {
  const all = [...document.querySelectorAll('[role=tab]')];
  function choose(tab) {
    for (const one of all) {
      const isIt = one === tab;
      one.setAttribute('aria-selected', String(isIt));
      one.tabIndex = isIt ? 0 : -1;
      byId(one.getAttribute('aria-controls')).hidden = !isIt;
    }
  }
  all.forEach((tab, index) => {
    tab.addEventListener('click', () => choose(tab));
    tab.addEventListener('keydown', ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!step) return;
      const next = all[(index + step + all.length) % all.length];
      choose(next);
      next.focus();
    });
  });
}
