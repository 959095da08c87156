// How often Metacontroller calls about one object. Two leaders at once are not judged: as long as one of them is behind they
// write over each other's answers, and no answer would stop them.

import { MINUTE } from './clock.ts';
import type { Report } from './violation.ts';

const CALLS_PER_MINUTE = 120;

export type CallRate = { count(what: string): void; judge(is: boolean): void };

export function createCallRate(now: () => number, report: Report): CallRate {
  const calls = new Map<string, number[]>();
  let isJudged = true;
  /** Those of before were made by two. */
  let since = 0;
  return {
    count(what) {
      const from = Math.max(since, now() - MINUTE);
      const times = (calls.get(what) ?? []).filter((at) => at >= from);
      times.push(now());
      calls.set(what, times);
      if (isJudged && times.length > CALLS_PER_MINUTE)
        report('no-hot-loop', `${what} was called ${times.length} times in a minute`);
    },
    judge(is) {
      if (is && !isJudged) since = now();
      isJudged = is;
    },
  };
}
