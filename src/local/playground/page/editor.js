// The manifest editor. The server checks while one types; each finding names its line and field and leads there.

import { ask, byId, make, setText } from './dom.js';

const CHECK_AFTER_MS = 250;

export function createEditor({ rows, onApplied }) {
  const text = byId('manifest');
  const gutter = byId('gutter');
  const findings = byId('findings');
  const revert = byId('revert');
  /** What was put into the editor, and of which object. */
  let base = { key: undefined, text: '' };
  /** What the chosen object looks like on the server. */
  let latest;
  /** Off while a new manifest is being written. */
  let isFollowing = true;
  let isOwnApply = false;
  let timer;
  let checks = 0;

  const isEdited = () => text.value !== base.text;

  function drawGutter(broken = new Set()) {
    const lines = text.value.split('\n').length;
    gutter.replaceChildren(
      ...Array.from({ length: lines }, (_, index) =>
        make('span', { text: `${index + 1}`, ...(broken.has(index + 1) ? { class: 'broken' } : {}) }),
      ),
    );
    gutter.scrollTop = text.scrollTop;
  }

  function drawFindings(found, good = '') {
    text.setAttribute('aria-invalid', String(found.length > 0));
    drawGutter(new Set(found.map(({ line }) => line)));
    if (found.length === 0) {
      findings.replaceChildren(...(good ? [make('p', { class: 'good', text: good })] : []));
      return;
    }
    findings.replaceChildren(
      make('ul', {}, ...found.map((finding) => make('li', {}, findingButton(finding)))),
    );
  }

  function findingButton({ line, field, message }) {
    const button = make(
      'button',
      { type: 'button' },
      make('b', { text: `Line ${line}` }),
      ...(field ? [make('code', { text: field })] : []),
      make('span', { text: message }),
    );
    button.addEventListener('click', () => goTo(line));
    return button;
  }

  function goTo(line) {
    const lines = text.value.split('\n');
    const start = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
    text.focus();
    text.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
    text.scrollTop = (line - 4) * Number.parseFloat(getComputedStyle(text).lineHeight);
  }

  async function check() {
    checks += 1;
    const own = checks;
    const answer = await ask('POST', 'api/check', { text: text.value });
    if (own !== checks) return;
    drawFindings(
      answer.findings ?? [{ line: 1, field: '', message: answer.message }],
      summary(answer.objects),
    );
  }

  function summary(objects = []) {
    const names = objects.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);
    return names.length > 3 ? `Valid: ${names.length} objects` : `Valid: ${names.join(', ')}`;
  }

  function edited() {
    drawRevert();
    drawGutter();
    clearTimeout(timer);
    timer = setTimeout(check, CHECK_AFTER_MS);
  }

  function drawRevert() {
    revert.hidden = !latest || (!isEdited() && base.key === latest.key);
  }

  function put(value, key) {
    base = { key, text: value };
    text.value = value;
    setText(byId('editor-of'), key ?? 'a new database');
    drawRevert();
    clearTimeout(timer);
    checks += 1;
    drawFindings([]);
  }

  function freeName() {
    let number = 1;
    while (rows.has(`team-a/db-${number}`)) number += 1;
    return `db-${number}`;
  }

  const template = () =>
    [
      'apiVersion: otc.mcsps.de/v1alpha1',
      'kind: Rds',
      'metadata:',
      `  name: ${freeName()}`,
      '  namespace: team-a',
      'spec:',
      '  datastoretype: PostgreSQL',
      '  datastoreversion: "16"',
      '  flavorref: rds.pg.n1.large.2',
      '  port: "5432"',
      '  volumetype: CLOUDSSD',
      '  volumesize: 40',
      '',
    ].join('\n');

  text.addEventListener('input', edited);
  text.addEventListener('scroll', () => {
    gutter.scrollTop = text.scrollTop;
  });
  byId('new').addEventListener('click', () => {
    isFollowing = false;
    put(template(), undefined);
    text.focus();
    void check();
  });
  revert.addEventListener('click', () => {
    isFollowing = true;
    put(latest.manifest, latest.key);
    text.focus();
  });
  byId('apply').addEventListener('click', async () => {
    clearTimeout(timer);
    checks += 1;
    const sent = text.value;
    const answer = await ask('POST', 'api/apply', { text: sent });
    if (!answer.isApplied) {
      drawFindings(answer.findings ?? [{ line: 1, field: '', message: answer.message }]);
      return;
    }
    const first = answer.objects.find(({ kind }) => kind === 'Rds');
    const key = first && `${first.namespace}/${first.name}`;
    base = { key, text: sent };
    isFollowing = true;
    isOwnApply = true;
    revert.hidden = true;
    if (key) setText(byId('editor-of'), key);
    drawFindings([], `Applied: ${summary(answer.objects).slice('Valid: '.length)}`);
    if (key) onApplied(key);
  });

  put(template(), undefined);

  return {
    /** What somebody is writing is never overwritten, and what was just applied keeps its comments. */
    show(key, manifest) {
      const isNews = latest?.key !== key || latest.manifest !== manifest;
      latest = { key, manifest };
      if (!isNews || !isFollowing || isEdited()) return drawRevert();
      if (isOwnApply && key === base.key) isOwnApply = false;
      else put(manifest, key);
    },
    /** Another database was chosen. */
    turn(key) {
      if (isEdited() || key === base.key) return;
      isFollowing = true;
    },
    /** The chosen database is gone; its manifest stays, to apply it again. */
    leave() {
      latest = undefined;
      drawRevert();
    },
  };
}
