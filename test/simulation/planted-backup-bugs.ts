// Known-bad variants of backups as objects.

import { plantedBug as bug, edit, type PlantedBug } from './planted-bug.ts';

const ACT = 'sync/rdsbackup/act.ts';
const FINALIZE = 'sync/rdsbackup/decide/finalize.ts';

export const BACKUP_BUGS: readonly PlantedBug[] = [
  bug(
    'a backup is ordered without a claim',
    ['claim-before-write'],
    edit(
      ACT,
      'const claimed = await deps.journal.swap(held, next);',
      'const claimed = { ...held, journal: next };',
    ),
  ),
  bug(
    'the journal of an RdsBackup stays open at its delete',
    ['no-backup-left'],
    edit(
      FINALIZE,
      'if (!journal?.closed) return close(o, journal);',
      'if (!journal) return close(o, journal);',
    ),
  ),
  bug(
    'an order of unknown outcome counts as refused',
    ['no-backup-left', 'claim-before-write', 'one-backup-per-object', 'converges'],
    edit(
      ACT,
      "return error.outcome === 'unknown'\n      ? acted(claimed.journal, write, 'unknown', failure)",
      "return error.code === 'never'\n      ? acted(claimed.journal, write, 'unknown', failure)",
    ),
  ),
  bug(
    'an RdsBackup that is deleted trusts the first empty list',
    ['no-backup-left'],
    edit(
      FINALIZE,
      "if (absenceProven(journal, at, o.timing)) return released(NOTHING, 'The backup is gone.');",
      "if (at > 0 || absenceProven(journal, at, o.timing)) return released(NOTHING, 'The backup is gone.');",
    ),
  ),
  bug(
    'an order that is open at the delete is forgotten',
    ['no-backup-left'],
    edit(
      FINALIZE,
      'id !== undefined || op !== undefined || createClaimedAt',
      'id !== undefined || createClaimedAt',
    ),
    edit(FINALIZE, 'createClaimedAt !== undefined ||', 'createClaimedAt === -1 ||'),
  ),
  bug(
    'an RdsBackup under Retain deletes',
    ['backup-deleted-on-order'],
    edit(FINALIZE, "return spec.deletionPolicy !== 'Delete';", 'return spec.deletionPolicy === undefined;'),
  ),
  bug(
    'an RdsBackup under Delete keeps',
    ['no-backup-left'],
    edit(FINALIZE, "return spec.deletionPolicy !== 'Delete';", "return spec.deletionPolicy !== 'never';"),
  ),
  bug(
    'a backup is deleted for who adopted it, whoever made it',
    ['backup-deleted-on-order'],
    edit(
      ACT,
      'if (!isOther || !(await deps.journal.isLiving(maker))) return undefined;',
      'if (isOther || !isOther) return undefined;',
    ),
  ),
  bug(
    'a backup that one list does not show is told as gone',
    ['converges', 'silent'],
    edit(
      'sync/rdsbackup/decide/known.ts',
      'if (absenceWasProven(journal)) return gone(journal);',
      'if (at > 0 || absenceWasProven(journal)) return gone(journal);',
    ),
  ),
  bug(
    'an answer about a backup forgets its id',
    ['status-keeps-id'],
    edit(
      'sync/rdsbackup/answer.ts',
      '...(id === undefined ? {} : { id }),\n    ...verdict.status,',
      "...verdict.status,\n    ...(verdict.phase === 'Deleting' ? { id: undefined } : {}),",
    ),
  ),
];
