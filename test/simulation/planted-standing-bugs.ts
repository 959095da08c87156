// Known-bad variants of answers that stand.

import { plantedBug as bug, edit, type PlantedBug } from './planted-bug.ts';

export const STANDING_BUGS: readonly PlantedBug[] = [
  bug(
    'an answer stands although the instance has changed',
    ['answer-stands'],
    edit('otc/noted-reads.ts', 'return isSame;\n  };', 'return isSame || true;\n  };'),
  ),
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
    'an answer stands for ever',
    ['answer-stands'],
    edit('sync/standing-answers.ts', 'now >= fromMs && now < untilMs && ', 'now >= fromMs - untilMs && '),
  ),
  bug(
    'an answer stands although a list of it is too old',
    ['answer-stands'],
    edit('otc/cache.ts', '(last && isFresh(last, maxAgeMs) ? last.value : undefined)', 'last?.value'),
  ),
];
