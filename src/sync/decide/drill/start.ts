// When a drill begins: at the first time of its schedule that is over, once, however many were missed. It comes last,
// on a database that is up and has nothing else going on.

import type { Instance } from '../../../otc/cloud.ts';
import { nextTime } from '../../../rds/cron.ts';
import type { Journal } from '../../../rds/journal.ts';
import { UID_TAG } from '../../../rds/names.ts';
import type { Observed } from '../observed.ts';
import { PACE, type Verdict } from '../plan.ts';
import type { Step } from './scene.ts';
import { drillInputs, isHeld, wantedDrill } from './wanted.ts';

const isIdle = (o: Observed, instance: Instance | undefined): boolean =>
  instance?.status === 'ACTIVE' && instance.tags[UID_TAG] === o.rds.metadata.uid;

export function startStep(o: Observed, journal: Journal, verdict: Verdict): Step | undefined {
  if (o.cloud.kind !== 'fresh' || verdict.action.kind !== 'none' || verdict.finalized) return undefined;
  if (isHeld(o) || journal.closed || journal.letGo || journal.op || journal.id === undefined)
    return undefined;
  const swap = (next: Journal): Step => ({
    action: { kind: 'swapJournal', journal: next },
    pace: PACE.transition,
  });
  const wanted = wantedDrill(o);
  const { drill, ...rest } = journal;
  if (!wanted) return drill ? swap(rest) : undefined;
  const { at, instance } = o.cloud;
  // From now on its times count; those of a schedule that was not asked for yet do not.
  if (drill?.schedule !== wanted.schedule)
    return swap({
      ...rest,
      drill: { schedule: wanted.schedule, since: at, ...(drill?.last ? { last: drill.last } : {}) },
    });
  const due = nextTime(wanted.schedule, drill.since);
  if ('problem' in due || due.at > at || instance?.id !== journal.id || !isIdle(o, instance))
    return undefined;
  const run = { slot: due.at, at, wish: drillInputs(o), draw: { mark: o.draw().mark, at } };
  return swap({ ...rest, drill: { ...drill, run } });
}

/** Without the journal: does its copy in status say that there is something to do? */
export function drillNeedsLook(o: Observed): boolean {
  const told = o.rds.status?.backup?.drill;
  if (told?.running) return true;
  const wanted = wantedDrill(o);
  if (isHeld(o)) return false;
  if (told?.schedule !== wanted?.schedule) return true;
  const instance = o.cloud.kind === 'glance' ? o.cloud.instance : undefined;
  return Date.parse(told?.nextAt ?? '') <= o.nowMs && isIdle(o, instance);
}
