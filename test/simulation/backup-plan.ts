// Backups as objects in a schedule: who makes, adopts, removes and restores them, and who gets in the way.

import { MINUTE, SECOND } from './clock.ts';
import type { Chance } from './random.ts';
import type { Target } from './target.ts';

export type Keeping = 'Retain' | 'Delete';

/** `which`: one of those that were made for this Rds, counted round. */
export type BackupDeed =
  | { do: 'make backup'; policy: Keeping }
  /** An object for a backup of this instance that is in the cloud already, whoever made it. */
  | { do: 'adopt backup'; which: number; policy: Keeping }
  | { do: 'backup policy'; which: number; to: Keeping }
  | { do: 'remove backup'; which: number }
  | { do: 'hand removes backup'; which: number }
  | { do: 'backup goes back'; which: number; versions: number }
  /** A new Rds with the data of one of them. */
  | { do: 'restore from backup'; which: number };

export const BACKUP_DEEDS = [
  'make backup',
  'adopt backup',
  'backup policy',
  'remove backup',
  'hand removes backup',
  'backup goes back',
  'restore from backup',
] as const satisfies readonly BackupDeed['do'][];

export const isBackupDeed = (deed: { do: string }): deed is BackupDeed =>
  (BACKUP_DEEDS as readonly string[]).includes(deed.do);

/** Of all schedules. */
const BACKUPS_SHARE = 0.2;
const POLICIES = ['Delete', 'Delete', 'Retain'] as const;
/** When an instance may be there. */
const FIRST_AT_MS = 75 * SECOND;

export const backsUpIn = (chance: Chance): boolean => chance.of('backup objects') < BACKUPS_SHARE;

type Add = (at: number, target: Target, deed: BackupDeed) => void;

export function addBackupObjects(
  chance: Chance,
  targets: readonly Target[],
  chaosMs: number,
  add: Add,
): void {
  const spanMs = Math.max(MINUTE, chaosMs - FIRST_AT_MS);
  const first = chance.pick('first backup object', targets);
  add(FIRST_AT_MS + chance.below('first backup object at', MINUTE), first, {
    do: 'make backup',
    policy: chance.pick('first backup object policy', POLICIES),
  });
  const count = 3 + chance.below('backup deeds', 4);
  for (let index = 0; index < count; index += 1) {
    const name = `backup deed ${index}`;
    add(
      FIRST_AT_MS + chance.of(`${name} at`) * spanMs,
      chance.of(`${name} elsewhere`) < 0.25 ? chance.pick(`${name} target`, targets) : first,
      backupDeed(chance, name),
    );
  }
}

function backupDeed(chance: Chance, name: string): BackupDeed {
  const what = chance.of(`${name} what`);
  const which = chance.below(`${name} which`, 4);
  const policy = chance.pick(`${name} policy`, POLICIES);
  if (what < 0.25) return { do: 'make backup', policy };
  if (what < 0.37) return { do: 'adopt backup', which, policy };
  if (what < 0.47) return { do: 'backup policy', which, to: policy };
  if (what < 0.72) return { do: 'remove backup', which };
  if (what < 0.79) return { do: 'hand removes backup', which };
  if (what < 0.91)
    return { do: 'backup goes back', which, versions: 1 + chance.below(`${name} versions`, 4) };
  return { do: 'restore from backup', which };
}
