// Nothing of the autopilot stays behind: its alarms and its topic go when it is switched off, when the instance is let
// go, and when the Rds is deleted. The list is read again until what was sent last can no longer show up.

import type { Journal } from '../../../rds/journal.ts';
import { deleting } from '../deleting.ts';
import type { Observed } from '../observed.ts';
import { type Action, NOTHING, PACE, type Verdict } from '../plan.ts';
import { readJournal } from '../remembered.ts';
import { failureText } from '../words.ts';
import { leftToRemove } from './alarms.ts';

/** `wait`: look again later, with the reason for people. undefined: nothing is left. */
export function unwatch(o: Observed, journal: Journal): Action | { wait: string } | undefined {
  if (!journal.watch) return undefined;
  if (o.cloud.kind !== 'fresh') return { kind: 'lookCloser' };
  const { watch } = o.cloud.details;
  if (!watch) return { kind: 'lookCloser' };
  if (watch.at === 0) {
    const why = watch.failure ? failureText({ ...watch.failure, requestId: undefined }) : 'nothing was read';
    return { wait: `The alarms of the autopilot cannot be listed: ${why}.` };
  }
  const left = leftToRemove(journal.watch, watch, o.timing);
  if (left === 'wait') return { wait: 'The operator makes sure that no alarm of the autopilot is left.' };
  if (left !== 'gone') return { kind: 'watch', at: watch.at, work: left };
  const { watch: _over, ...rest } = journal;
  return { kind: 'swapJournal', journal: rest };
}

/** A cloud that refuses to be asked about alarms must not keep a delete for ever. */
const GIVE_UP_MS = 3_600_000;
/** By our own clock, which may be wrong by an hour. */
const GIVE_UP_ALONE_MS = 6 * 3_600_000;

/** The last step of a delete: it ends only when the alarms are gone as well. */
export function heldByAlarms(o: Observed, verdict: Verdict): Verdict {
  const journal = readJournal(o);
  if (!verdict.finalized || !journal?.watch || !journal.closed) return verdict;
  const terminal = terminalFailure(o);
  const waitedMs = (o.cloud.kind === 'fresh' ? o.cloud.at : o.nowMs) - journal.closed.at;
  if (terminal === 'credentials') return verdict;
  if (terminal === 'refused' && waitedMs > (o.cloud.kind === 'fresh' ? GIVE_UP_MS : GIVE_UP_ALONE_MS))
    return verdict;
  if (o.cloud.kind !== 'fresh') return heldBack(verdict, NOTHING, REMOVING);
  const left = unwatch(o, journal);
  if (!left) return verdict;
  return 'wait' in left ? heldBack(verdict, NOTHING, left.wait) : heldBack(verdict, left, REMOVING);
}

const REMOVING = 'The alarms of the autopilot are being removed.';

function terminalFailure(o: Observed): 'credentials' | 'refused' | undefined {
  const failure =
    o.cloud.kind === 'failed'
      ? o.cloud.failure
      : o.cloud.kind === 'fresh'
        ? o.cloud.details.watch?.failure
        : undefined;
  if (!failure || failure.class === 'retryable') return undefined;
  return failure.code === 'CREDENTIALS' ? 'credentials' : 'refused';
}

function heldBack(verdict: Verdict, action: Action, message: string): Verdict {
  const { finalized: _notYet, ...rest } = verdict;
  return { ...rest, ...deleting(action, 'Deleting', message, PACE.waiting) };
}
