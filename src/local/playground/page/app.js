// Puts the parts together: the stream brings news, the address bar says which database is chosen.

import { createChart } from './chart.js';
import { openConnection } from './connection.js';
import { confirmDelete } from './delete.js';
import { createDetail } from './detail.js';
import { byId, setData, setText } from './dom.js';
import { createEditor } from './editor.js';
import { createList } from './list.js';
import { createLogs } from './logs.js';
import { createSliders, createSwitches } from './switches.js';

let chosen;

const detail = createDetail();
const chart = createChart();
const logs = createLogs({ chosen: () => chosen });
const switches = createSwitches();
const sliders = createSliders({ chosen: () => chosen });
const list = createList({
  onChoose: (key) => {
    location.hash = key;
  },
});
const editor = createEditor({
  rows: list.rows,
  onApplied: (key) => {
    location.hash = key;
  },
});

function choose(key) {
  chosen = key;
  list.choose(key);
  editor.turn(key);
  forget();
  connection.watch(key);
}

/** The stream begins with everything: what was shown before is not mixed with it. */
function forget() {
  detail.clear(list.rows.get(chosen));
  chart.clear();
  logs.clear();
  sliders.clear();
  sliders.update(undefined);
  drawHead();
}

function drawHead() {
  const row = list.rows.get(chosen);
  if (row) detail.head(row);
  byId('delete').disabled = !row || row.phase === 'Deleting';
}

const STATES = {
  open: 'Connected.',
  again: 'Connected again; everything is up to date.',
  lost: 'Connection lost. What you see is old; trying again every second.',
};

function tellState(state) {
  const line = byId('connection');
  setData(line, 'state', state);
  setText(line, STATES[state]);
  if (state === 'again') forget();
}

function tellCloud({ speed, instances, calls, doubled, lost, switches: all }) {
  setText(byId('speed'), String(speed));
  setText(byId('instances'), String(instances));
  setText(byId('calls'), calls.toLocaleString('en'));
  setText(byId('census'), String(doubled.length + lost.length));
  setData(byId('proof'), 'tone', doubled.length + lost.length === 0 ? 'good' : 'bad');
  byId('proof').title = [
    ...doubled.map((name) => `doubled: ${name}`),
    ...lost.map((name) => `lost: ${name}`),
  ].join('\n');
  switches.update(all);
}

const isChosen = ({ key }) => key === chosen;

const connection = openConnection({
  onState: tellState,
  events: {
    rows(news) {
      list.update(news);
      list.choose(chosen);
      drawHead();
      const [first] = [...list.rows.keys()].sort();
      if (chosen === undefined && first) location.replace(`#${first}`);
    },
    cloud: tellCloud,
    detail(news) {
      if (!isChosen(news)) return;
      if (news.isGone) {
        if (!list.rows.has(news.key)) {
          detail.gone();
          sliders.update(undefined);
          logs.show(undefined);
          editor.leave();
        }
        return;
      }
      detail.show(news);
      logs.show(news);
      editor.show(news.key, news.manifest);
    },
    timeline: (news) => isChosen(news) && detail.tell(news.entries),
    output: (news) => isChosen(news) && logs.add(news),
    samples(news) {
      if (!isChosen(news)) return;
      chart.add(news.samples);
      sliders.update(chart.last());
    },
  },
});

/** `#team-a/shop`; anything else in the address is a place on the page. */
const fromAddress = () => /^#([^/]+\/[^/]+)$/.exec(decodeURIComponent(location.hash))?.[1];

addEventListener('hashchange', () => {
  const key = fromAddress();
  if (key && key !== chosen) choose(key);
});
byId('delete').addEventListener('click', () => confirmDelete(chosen));
choose(fromAddress());
