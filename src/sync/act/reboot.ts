// Orders by `true` in status on their way into the journal and out of it (protocol C9).

import type { Journal } from '../../rds/journal.ts';
import { orderedByBoolean } from '../decide/boolean-orders.ts';
import type { SyncDeps } from '../deps.ts';
import type { FullView } from '../observe.ts';
import { type ActResult, LOST } from './result.ts';

export async function takeBooleans(
  deps: SyncDeps,
  { observed, held }: FullView,
  next: Journal,
): Promise<ActResult> {
  const { uid, namespace, name } = observed.rds.metadata;
  const { rds } = await deps.readLive(observed.rds, { surroundings: false });
  const live = rds?.metadata.uid === uid ? orderedByBoolean(rds) : [];
  if (orderedByBoolean(observed.rds).some((field) => !live.includes(field)))
    return { kind: 'stale', because: 'the order was answered meanwhile' };
  const taken = held
    ? await deps.journal.swap(held, next)
    : await deps.journal.create(uid, next, { namespace, name });
  return taken ? { kind: 'asDecided' } : LOST;
}

export async function forgetReboot(deps: SyncDeps, { observed, held }: FullView): Promise<ActResult> {
  if (!held) return LOST;
  const { rds } = await deps.readLive(observed.rds, { surroundings: false });
  if (rds?.metadata.uid !== observed.rds.metadata.uid || rds.status?.reboot === true)
    return { kind: 'asDecided' };
  const { reboot: _over, ...rest } = held.journal;
  return (await deps.journal.swap(held, rest)) ? { kind: 'asDecided' } : LOST;
}
