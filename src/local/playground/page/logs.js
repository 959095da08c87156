// The error log and the slow log of a database, as the Job prints them.

import { ask, byId, make, setText } from './dom.js';

const MOST_LINES = 1000;
const INVITATION =
  'Orders a Job, as the annotation otc.mcsps.de/logs does, and shows what its containers print.';

export function createLogs({ chosen }) {
  const list = byId('logs');
  const button = byId('fetch-logs');

  button.addEventListener('click', async () => {
    const answer = await ask('POST', 'api/logs', { rds: chosen() });
    setText(byId('logs-note'), answer.ok ? 'Ordered.' : answer.message);
  });

  return {
    clear() {
      list.replaceChildren();
      button.disabled = true;
      setText(byId('logs-note'), '');
    },
    /** undefined: the database is gone. */
    show(detail) {
      button.disabled = !detail || detail.isDeleting;
      if (detail) setText(byId('logs-note'), stateOf(detail.logs));
    },
    add({ isNew, lines }) {
      if (isNew) list.replaceChildren();
      list.append(
        ...lines.map(({ container, stream, text }) =>
          make(
            'li',
            { 'data-stream': stream },
            make('span', { class: 'kind', text: container }),
            make('code', { text }),
          ),
        ),
      );
      while (list.children.length > MOST_LINES) list.firstChild.remove();
    },
  };
}

const counted = (lines) => (lines === 1 ? '1 line' : `${lines ?? '?'} lines`);

function stateOf(job) {
  if (!job) return INVITATION;
  const counts = ['errorlog', 'slowlog'].flatMap((log) =>
    job[log] ? [`${log}: ${[counted(job[log].lines), job[log].note].filter(Boolean).join('. ')}.`] : [],
  );
  return [`${job.state}, ${job.from} to ${job.to}.`, job.message, ...counts].filter(Boolean).join(' ');
}
