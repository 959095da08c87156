// Known-bad variants of answers that stand. Those that show only after an instance was changed by hand, or after ten minutes, are
// too rare in schedules: test/sync/standing.test.ts has them.

import { plantedBug as bug, edit, type PlantedBug } from './planted-bug.ts';

export const STANDING_BUGS: readonly PlantedBug[] = [
  bug(
    'an answer stands without a look ahead',
    ['answer-stands'],
    edit(
      'sync/stands.ts',
      'nowMs: nowMs + AHEAD_MS,\n    cloud: { ...cloud, at: cloud.at + AHEAD_MS },',
      'nowMs,\n    cloud,',
    ),
  ),
  bug(
    'an answer stands although a list of it is too old',
    ['answer-stands'],
    edit('otc/cache.ts', '(last && isFresh(last, maxAgeMs) ? last.value : undefined)', 'last?.value'),
  ),
];
