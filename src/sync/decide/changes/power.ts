// Stopped and started, and newer minor versions: changes of the whole server.

import { isoTime } from '../../../rds/conditions.ts';
import type { Journal } from '../../../rds/journal.ts';
import type { Observed } from '../observed.ts';
import type { Verdict } from '../plan.ts';
import { readJournal, remembered } from '../remembered.ts';
import { type Case, isSet, orderOf, type Wish } from './wish.ts';

/** The cloud starts a stopped instance by itself after this long. */
const STARTS_AFTER_MS = 7 * 24 * 3_600_000;

export function power(one: Case): Wish[] {
  const { o, instance } = one;
  const isStopped = instance.status === 'SHUTDOWN';
  const stopped = o.spec.stopped === true;
  if (stopped && !isStopped) {
    const order = orderOf(instance.id, { kind: 'stop' }, 'SHUTDOWN');
    return [{ field: 'spec.stopped', from: 'running', to: 'stopped', impact: 'disconnect', order }];
  }
  // What somebody stopped in the console stays stopped, unless the spec says that it must run.
  const mustRun = isSet(one, 'stopped') || readJournal(o)?.stopped === true;
  if (stopped || !isStopped || !mustRun) return [];
  const order = orderOf(instance.id, { kind: 'start' }, 'ACTIVE');
  return [{ field: 'spec.stopped', from: 'stopped', to: 'running', impact: 'none', order }];
}

/** When the cloud will start an instance that we stopped; told, since the operator stops it again then. */
export function startsByItself({ o, instance }: Pick<Case, 'o' | 'instance'>): string | undefined {
  if (instance.status !== 'SHUTDOWN') return undefined;
  const last = readJournal(o)?.last;
  return last?.kind === 'stop' ? isoTime(last.at + STARTS_AFTER_MS) : o.rds.status?.startsAt;
}

export const UPGRADE_MARK = 'spec.minorUpgrade';

/** `Now` counts once until the field says something else; `InWindow` once a month. */
function upgradeToken(mode: string | undefined, nowMs: number): string | undefined {
  if (mode === 'Now') return 'Now';
  return mode === 'InWindow' ? isoTime(nowMs).slice(0, 7) : undefined;
}

export function minorUpgrade(one: Case): Wish[] {
  const { o, instance } = one;
  const mode = o.spec.minorUpgrade;
  const token = upgradeToken(mode, o.nowMs);
  if (token === undefined || remembered(o).handled[UPGRADE_MARK] === token) return [];
  const present = instance.completeVersion ?? instance.version;
  const wish: Wish = {
    field: 'spec.minorUpgrade',
    from: present,
    to: 'the newest minor version',
    impact: 'restart',
    needsConsent: mode === 'InWindow',
  };
  if (instance.engine === 'SQLServer')
    return [{ ...wish, impact: 'impossible', refused: 'the cloud upgrades SQL Server by itself' }];
  return [{ ...wish, order: orderOf(instance.id, { kind: 'minorUpgrade' }, `${token}/${present}`) }];
}

/** `Now` that was taken back may be ordered again; a spec from before it was given takes nothing back. */
export function forgetUpgrade(o: Observed, journal: Journal, told: Verdict): Verdict | undefined {
  if (o.spec.minorUpgrade === 'Now' || journal.handled?.[UPGRADE_MARK] !== 'Now') return undefined;
  const { [UPGRADE_MARK]: _over, ...handled } = journal.handled;
  return { ...told, action: { kind: 'swapIfLive', journal: { ...journal, handled } } };
}
