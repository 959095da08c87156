// The backup before the delete: made under a name that is unique per deletion and attempt, complete and no
// older than an hour when the delete is sent (protocol C7).

import type { Backup, Instance } from '../../otc/cloud.ts';
import { restoreRecipe } from '../../rds/backup.ts';
import { accepted, type Journal, refused } from '../../rds/journal.ts';
import { finalBackupName, finalBackupPrefix } from '../../rds/names.ts';
import type { RdsStatus } from '../../rds/status.ts';
import { deleting, isForced } from './deleting.ts';
import { effectivePolicy } from './deletion-policy.ts';
import type { Observed } from './observed.ts';
import { NOTHING, PACE, type Verdict } from './plan.ts';

type FreshView = Extract<Observed['cloud'], { kind: 'fresh' }>;

const MAX_AGE_MS = 3_600_000;
const RETRY_AFTER_MS = 60_000;

/** undefined: nothing stands in the way of the delete. */
export function finalBackup(
  o: Observed,
  journal: Journal,
  instance: Instance,
  cloud: FreshView,
): Verdict | undefined {
  const isWanted = effectivePolicy(o) === 'Snapshot' && !isForced(o);
  // Whatever the policy says by now: one that another replica may still send is settled first.
  if (!isWanted && journal.op?.kind !== 'finalBackup') return undefined;
  if (!cloud.backups) return deleting({ kind: 'lookCloser' }, 'FinalBackup', 'Looking at the backups.');
  const { uid, deletionTimestamp = '' } = o.rds.metadata;
  const prefix = finalBackupPrefix(uid, deletionTimestamp);
  const latest = latestFinal(cloud.backups, prefix);
  const open = openClaim(o, journal, latest, cloud.at);
  if (open) return open;
  if (!isWanted) return undefined;
  const attempt = latest ? attemptOf(latest.name, prefix) : 0;
  if (latest) {
    const verdict = judge(latest, instance, cloud.at, attempt);
    if (verdict !== 'again') return verdict;
  }
  const name = finalBackupName(uid, deletionTimestamp, attempt + 1);
  return deleting(
    {
      kind: 'claim',
      op: { kind: 'finalBackup', key: name, at: cloud.at },
      write: { do: 'finalBackup', instanceId: instance.id, name, attempt: attempt + 1 },
    },
    'FinalBackup',
    `Backup ${name} is being made before the delete.`,
  );
}

function attemptOf(name: string, prefix: string): number {
  return Number(name.slice(prefix.length)) || 0;
}

function judge(
  latest: Backup,
  instance: Instance,
  at: number,
  attempt: number,
): Verdict | undefined | 'again' {
  if (latest.status === 'COMPLETED') {
    return at - latest.beginAt <= MAX_AGE_MS ? undefined : 'again';
  }
  if (latest.status === 'FAILED') {
    const again = (latest.endAt ?? latest.beginAt) + Math.min(attempt, 10) * RETRY_AFTER_MS;
    if (at >= again) return 'again';
    return deleting(
      NOTHING,
      'FinalBackupFailed',
      `Backup ${latest.name} failed; nothing is deleted. The operator makes another one. To delete without a backup set the annotation otc.mcsps.de/force-delete: "true".`,
      PACE.waiting,
    );
  }
  return {
    ...deleting(
      NOTHING,
      'FinalBackup',
      `Backup ${latest.name} is being made before the delete.`,
      PACE.transition,
    ),
    status: evidence(latest, instance),
  };
}

/** A claimed or just accepted backup that the list does not show yet. */
function openClaim(
  o: Observed,
  journal: Journal,
  latest: Backup | undefined,
  at: number,
): Verdict | undefined {
  const sent = journal.op ?? journal.last;
  if (sent?.kind !== 'finalBackup') return undefined;
  if (latest?.name === sent.key) {
    return journal.op
      ? deleting(
          { kind: 'swapJournal', journal: accepted(journal, {}) },
          'FinalBackup',
          `Backup ${sent.key} is being made before the delete.`,
        )
      : undefined;
  }
  if (at >= sent.at + o.timing.settleMs) {
    return journal.op
      ? deleting(
          { kind: 'swapJournal', journal: refused(journal) },
          'FinalBackup',
          'The last backup left no trace; another one is made.',
        )
      : undefined;
  }
  return deleting(
    NOTHING,
    'FinalBackup',
    `Backup ${sent.key} was ordered and is not listed yet.`,
    PACE.transition,
  );
}

function latestFinal(backups: readonly Backup[], prefix: string): Backup | undefined {
  return backups
    .filter(({ name }) => name.startsWith(prefix))
    .sort((a, b) => attemptOf(a.name, prefix) - attemptOf(b.name, prefix))
    .at(-1);
}

/** The final backup of this deletion as status tells it, where this view shows one. */
export function savedBackup(o: Observed): { status?: Partial<RdsStatus> } {
  if (o.cloud.kind !== 'fresh' || !o.cloud.backups || !o.cloud.instance) return {};
  const { uid, deletionTimestamp = '' } = o.rds.metadata;
  const latest = latestFinal(o.cloud.backups, finalBackupPrefix(uid, deletionTimestamp));
  return latest ? { status: evidence(latest, o.cloud.instance) } : {};
}

/** Goes into status before the delete: what is sent together with `finalized` is lost. */
function evidence(backup: Backup, instance: Instance): Partial<RdsStatus> {
  return {
    backup: {
      finalBackup: {
        id: backup.id,
        name: backup.name,
        status: backup.status,
        restoreFrom: restoreRecipe({ id: backup.id, instanceId: instance.id }),
      },
    },
  };
}
