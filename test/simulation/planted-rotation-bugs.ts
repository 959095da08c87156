// Known-bad variants of the rotation of logins.

import { plantedBug as bug, edit, type PlantedBug } from './planted-bug.ts';

export const ROTATION_BUGS: readonly PlantedBug[] = [
  bug(
    'a login is published before a Job has proven it',
    ['logins-work'],
    edit(
      'sync/decide/rotation.ts',
      'if (!seen.isDone(one.account)) return undefined;\n  const { next, ...rest } = rotation;',
      'const { next, ...rest } = rotation;',
    ),
  ),
  bug(
    'the old login gets no time',
    ['logins-work'],
    edit(
      'sync/decide/rotation.ts',
      'return isPublished(one) && seen.at >= (rotation.endsAt ?? seen.at)',
      'return isPublished(one) && seen.at >= rotation.at',
    ),
  ),
  bug(
    'the login that is published is closed',
    ['logins-work'],
    edit(
      'sync/decide/databases-logins.ts',
      "return state === 'Closing' && previous && previous !== 'root' ? loginIn(logins, previous) : undefined;",
      "return state === 'Closing' && previous && rotation ? loginIn(logins, rotation.current) : undefined;",
    ),
  ),
  bug(
    'the next login is the one that is in use',
    ['logins-work', 'two-logins'],
    edit(
      'rds/rotation.ts',
      "(slot === 'root' ? 'first' : otherSlot(slot));",
      "(slot === 'root' ? 'first' : otherSlot(otherSlot(slot)));",
    ),
  ),
  bug(
    'a rotation begins whenever one looks',
    ['one-rotation-per-period'],
    edit(
      'sync/decide/rotation.ts',
      'at >= rotation.since + hoursMs(one.every, seen.hourMs);',
      'at >= rotation.since + 0 * hoursMs(one.every, seen.hourMs);',
    ),
  ),
  bug(
    'a failed Job counts as done',
    ['logins-work'],
    edit(
      'sync/decide/rotate.ts',
      "job?.key === key &&\n      job.state !== 'Failed' &&",
      'job?.key === key &&',
    ),
  ),
];
