// The table of docs/changes.md, from the same rows that the tests carry out.

import { type ChangeRow, ROWS } from '../sync/day-two-table.ts';

const shown = (text: string) =>
  `\`${text.replaceAll('{engine}', 'mysql').replaceAll('{restarting}', 'binlog_format')}\``;

function line({ name, engines, told, calls, restarts }: ChangeRow): string {
  const impacts = told.map((one) => shown(one));
  const cells = [
    name,
    engines.join(', '),
    impacts.join('<br>'),
    calls.map((call) => shown(call.trim())).join('<br>'),
    `${restarts}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

export function changesTable(): string {
  return [
    '| change | engines | told in `status.plan` (field, impact) | calls made, under `/instances/{id}` | restarts ordered |',
    '|---|---|---|---|---|',
    ...ROWS.map(line),
  ].join('\n');
}
