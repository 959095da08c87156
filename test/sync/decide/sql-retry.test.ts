import t from 'tap';
import { isTriedAgain } from '../../../src/sync/decide/databases-record.ts';

const MINUTE = 60_000;
const ENDED = Date.parse('2026-11-16T08:00:00Z');
const iso = (ms: number) => new Date(ms).toISOString();

/** `told`: minutes after the end for which the next try was told; `now`: minutes after the end by our clock. */
const cases = [
  { state: 'Refused', attempt: 1, told: 10, now: 9, want: false, because: 'the pause is not over' },
  { state: 'Refused', attempt: 1, told: 10, now: 10, want: true, because: 'the pause is over' },
  { state: 'Refused', attempt: 1, told: 70, now: 9, want: false, because: 'a clock ahead shortens no pause' },
  { state: 'Refused', attempt: 1, told: 70, now: 10, want: true, because: 'nor does it make one longer' },
  { state: 'Failed', attempt: 2, told: 62, now: 2, want: true, because: 'each attempt has its own pause' },
  { state: 'Failed', attempt: 2, told: 62, now: 1, want: false, because: 'and that has to pass' },
  { state: 'Refused', attempt: 1, told: 10, now: -50, want: false, because: 'our clock may be behind' },
] as const;

for (const { state, attempt, told, now, want, because } of cases) {
  t.test(`${state} ${attempt}, told for minute ${told}, minute ${now}: ${because}`, (t) => {
    const job = { name: 'n', key: 'k', attempt, state, endedAt: iso(ENDED) };
    t.equal(isTriedAgain({ ...job, retryAt: iso(ENDED + told * MINUTE) }, ENDED + now * MINUTE), want);
    t.end();
  });
}
