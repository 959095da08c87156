// What is true beside the operation itself once the cloud has carried it out.

import { autopilotOf } from '../../rds/autopilot.ts';
import type { Journal, Op } from '../../rds/journal.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import { HEAL_KEY } from './autopilot/heal.ts';
import { PENDING_RESTART } from './changes/parameters.ts';
import { UPGRADE_MARK } from './changes/power.ts';
import { countRepeat } from './changes/repeats.ts';
import type { Details, Observed } from './observed.ts';
import { BOOLEAN_ORDER } from './orders.ts';
import { RESTORE_MARK } from './restore-in-place.ts';

/** After these the server has been restarted, and parameters that waited for it are in effect. */
const RESTARTS: readonly string[] = ['restart', 'resize', 'port', 'minorUpgrade', 'stop'];

export function carriedOut(o: Observed, before: Journal, op: Op): Journal {
  const journal = countRepeat(before, op, o.rds.metadata.generation);
  const details = o.cloud.kind === 'fresh' ? o.cloud.details : {};
  const next =
    RESTARTS.includes(op.kind) && !op.key.includes('@') ? without(journal, 'pendingRestart') : journal;
  switch (op.kind) {
    case 'restart':
      if (op.key === BOOLEAN_ORDER) return { ...next, reboot: 'done' };
      if (op.key === PENDING_RESTART || op.key.startsWith(HEAL_KEY)) return next;
      return { ...next, handled: { ...next.handled, [ANNOTATIONS.restart]: op.key } };
    case 'enlarge':
    case 'resize':
      return withMove(o, next);
    case 'restore':
      return { ...next, handled: { ...next.handled, [RESTORE_MARK]: op.key } };
    case 'password':
      return { ...next, password: op.key };
    case 'stop':
      return { ...next, stopped: true };
    case 'start':
      return without(next, 'stopped');
    case 'minorUpgrade':
      return { ...next, handled: { ...next.handled, [UPGRADE_MARK]: op.key.split('/')[0] ?? '' } };
    case 'parameters':
      return withPendingRestart(next, op, details);
    case 'tags': {
      const { set, left } = JSON.parse(op.key) as { set: Record<string, string>; left: string[] };
      const kept = (next.tags ?? []).filter((key) => !left.includes(key));
      return { ...next, tags: [...new Set([...kept, ...Object.keys(set)])].sort() };
    }
    default:
      return next;
  }
}

/** Values measured before it is over say nothing about the new size. */
function withMove(o: Observed, journal: Journal): Journal {
  if (autopilotOf(o.spec).mode === 'Off') return journal;
  return { ...journal, scale: { ...journal.scale, isMoving: true } };
}

function withPendingRestart(journal: Journal, op: Op, { parameters = [] }: Details): Journal {
  const names = Object.keys(JSON.parse(op.key) as object);
  const waiting = parameters
    .filter(({ name, restartRequired }) => restartRequired && names.includes(name))
    .map(({ name }) => name);
  if (waiting.length === 0) return journal;
  return { ...journal, pendingRestart: [...new Set([...(journal.pendingRestart ?? []), ...waiting])].sort() };
}

function without(journal: Journal, field: 'pendingRestart' | 'stopped'): Journal {
  const { [field]: _over, ...rest } = journal;
  return rest;
}
