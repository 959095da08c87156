// The one write of a call, whatever it is.

import type { CallBudget } from '../budget.ts';
import type { Action } from '../decide/plan.ts';
import type { SyncDeps } from '../deps.ts';
import type { FullView } from '../observe.ts';
import { claimAndWrite } from './claim.ts';
import { createDrill, endDrill, removeDrill, tagDrill } from './drill.ts';
import { adopt, letGo, tag } from './ownership.ts';
import { forgetReboot, takeBooleans } from './reboot.ts';
import { type ActResult, LOST } from './result.ts';
import { mark, scale } from './scale.ts';
import { staleAgainstLive } from './stale.ts';
import { keepWatch } from './watch.ts';

export async function act(
  deps: SyncDeps,
  full: FullView,
  action: Action,
  budget: CallBudget,
): Promise<ActResult> {
  const { observed, held } = full;
  const { uid, namespace, name } = observed.rds.metadata;
  switch (action.kind) {
    case 'openJournal':
      return (await deps.journal.create(uid, action.journal, { namespace, name }))
        ? { kind: 'asDecided' }
        : LOST;
    case 'swapJournal':
      return held && (await deps.journal.swap(held, action.journal)) ? { kind: 'asDecided' } : LOST;
    case 'swapIfLive': {
      const because = await staleAgainstLive(deps, observed, { do: 'rotate' });
      if (because !== undefined) return { kind: 'stale', because };
      return held && (await deps.journal.swap(held, action.journal)) ? { kind: 'asDecided' } : LOST;
    }
    case 'claim':
      return claimAndWrite(deps, full, action, budget);
    case 'tell': {
      const because = await staleAgainstLive(deps, observed, action.write);
      return because === undefined ? { kind: 'asDecided' } : { kind: 'stale', because };
    }
    case 'tag':
      return tag(deps, full, action.instanceId);
    case 'scale':
      return scale(deps, full, action);
    case 'mark':
      return mark(full, action);
    case 'watch':
      return keepWatch(deps, full, action);
    case 'adopt':
      return adopt(deps, full, action.instanceId);
    case 'letGo':
      return letGo(deps, full, action);
    case 'createDrill':
      return createDrill(deps, full, budget);
    case 'tagDrill':
      return tagDrill(deps, full, action.instanceId);
    case 'removeDrill':
      return removeDrill(deps, full, action.instanceId, budget);
    case 'endDrill':
      return endDrill(deps, full, action.journal);
    case 'takeBooleans':
      return takeBooleans(deps, full, action.journal);
    case 'forgetReboot':
      return forgetReboot(deps, full);
    default:
      return { kind: 'asDecided' };
  }
}
