// status.plan for people: what changes, what clients notice, and when.

import type { PlannedChange } from '../rds/status.ts';
import { type Cell, type Colour, type Paint, table } from './screen.ts';

const IMPACT: Record<PlannedChange['impact'], Colour> = {
  none: 'green',
  reload: 'green',
  disconnect: 'yellow',
  restart: 'yellow',
  newServer: 'yellow',
  impossible: 'red',
};

export function planTable(plan: readonly PlannedChange[], paint: Paint): string {
  const rows = plan.map(({ field, from, to, impact, when }): Cell[] => [
    field,
    from,
    to,
    { text: impact, colour: IMPACT[impact] },
    when,
  ]);
  return table(['FIELD', 'FROM', 'TO', 'IMPACT', 'WHEN'], rows, paint);
}
