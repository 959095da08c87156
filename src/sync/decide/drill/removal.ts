// The end of every drill, whatever its result: the throwaway is deleted, and believed to be gone only after as many
// empty reads as for any instance (protocol C4).

import type { DrillRun } from '../../../rds/drill.ts';
import { overRun } from '../../../rds/drill-run.ts';
import { stateOf } from '../instance-state.ts';
import { PACE } from '../plan.ts';
import { countAbsent, note, type Scene, type Step, UNHURRIED, wait } from './scene.ts';

export function removal(scene: Scene): Step {
  const { o, run, at, throwaway, taken } = scene;
  // Whoever renamed or took it over has it now: it is never deleted.
  if (taken) return over(scene);
  if (!throwaway) {
    const absent = countAbsent(scene);
    if (absent === 'gone') return over(scene);
    return absent === 'early' ? wait() : note(scene, absent, UNHURRIED);
  }
  // A create that took effect later than all bounds would show here, under the same name.
  if (throwaway.id !== run.id) return note(scene, withoutDelete({ ...run, id: throwaway.id }));
  if (run.absence) return note(scene, withoutAbsence(run));
  if (run.deletedAt !== undefined && at < run.deletedAt + o.timing.settleMs) return wait();
  if (run.trouble && at < run.trouble.until) return wait();
  if (stateOf(throwaway).transitional) return wait();
  return { action: { kind: 'removeDrill', instanceId: throwaway.id }, pace: UNHURRIED };
}

function over({ journal, drill, at }: Scene): Step {
  return {
    action: { kind: 'endDrill', journal: { ...journal, drill: overRun(drill, at) } },
    pace: PACE.soon,
  };
}

function withoutDelete({ deletedAt: _old, absence: _over, ...rest }: DrillRun): DrillRun {
  return rest;
}

function withoutAbsence({ absence: _over, ...rest }: DrillRun): DrillRun {
  return rest;
}
