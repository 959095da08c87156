import t from 'tap';
import { CRON_PATTERN, nextTime } from '../../src/rds/cron.ts';

const next = (expression: string, after: string): string => {
  const found = nextTime(expression, Date.parse(after));
  return 'at' in found ? new Date(found.at).toISOString() : found.problem;
};

// 2026-11-16 is a Monday.
const NOW = '2026-11-16T08:30:00Z';

for (const [expression, after, want, because] of [
  ['* * * * *', NOW, '2026-11-16T08:31:00.000Z', 'a time counts once: the next minute, not this one'],
  ['* * * * *', '2026-11-16T08:30:59.999Z', '2026-11-16T08:31:00.000Z', 'seconds do not count'],
  ['0 3 * * *', NOW, '2026-11-17T03:00:00.000Z', 'today is over'],
  ['0 9 * * *', NOW, '2026-11-16T09:00:00.000Z', 'today is still to come'],
  ['*/15 * * * *', NOW, '2026-11-16T08:45:00.000Z', 'a step'],
  ['5/20 * * * *', NOW, '2026-11-16T08:45:00.000Z', 'a step from a start: 5, 25, 45'],
  ['10-20/5 * * * *', NOW, '2026-11-16T09:10:00.000Z', 'a step within a range'],
  ['0 1,13 * * *', NOW, '2026-11-16T13:00:00.000Z', 'a list'],
  ['30 8 * * *', NOW, '2026-11-17T08:30:00.000Z', 'exactly now is over'],
  ['0 3 * * 0', NOW, '2026-11-22T03:00:00.000Z', 'Sunday'],
  ['0 3 * * 7', NOW, '2026-11-22T03:00:00.000Z', 'Sunday by its other number'],
  ['0 3 * * 1-5', NOW, '2026-11-17T03:00:00.000Z', 'on workdays'],
  ['0 3 1 * *', NOW, '2026-12-01T03:00:00.000Z', 'the first of a month'],
  ['0 3 31 * *', '2026-11-30T00:00:00Z', '2026-12-31T03:00:00.000Z', 'November has no 31st'],
  ['0 3 1 1 *', NOW, '2027-01-01T03:00:00.000Z', 'once a year'],
  ['0 3 13 * 5', NOW, '2026-11-20T03:00:00.000Z', 'as cron has it: the 13th or a Friday'],
  [
    '0 3 */2 * 5',
    NOW,
    '2026-11-27T03:00:00.000Z',
    'as cron has it: a day that begins with * restricts the weekday',
  ],
  ['0 0 29 2 *', NOW, '2028-02-29T00:00:00.000Z', 'a leap day'],
  [
    '0 0 29 2 *',
    '2096-03-01T00:00:00Z',
    '2104-02-29T00:00:00.000Z',
    'a leap day after a century without one',
  ],
  ['59 23 31 12 *', '2026-12-31T23:59:00Z', '2027-12-31T23:59:00.000Z', 'the last minute of a year'],
  ['0  3  *  *  *', NOW, '2026-11-17T03:00:00.000Z', 'more than one blank'],
  ['05 03 * * *', NOW, '2026-11-17T03:05:00.000Z', 'leading zeros'],
  ['0 0 30 2 *', NOW, 'that day never comes', 'February has no 30th'],
  ['30-10 * * * *', NOW, 'the minute 30-10 ends before it begins', 'a range the wrong way round'],
] as const) {
  t.equal(next(expression, after), want, `${expression}: ${because}`);
}

t.test('what is no expression is refused', async (t) => {
  for (const [expression, because] of [
    ['', 'nothing'],
    ['daily', 'a word'],
    ['@daily', 'a shorthand'],
    ['0 3 * *', 'four fields'],
    ['0 3 * * * *', 'six fields'],
    ['60 3 * * *', 'minute 60'],
    ['0 24 * * *', 'hour 24'],
    ['0 3 0 * *', 'day 0'],
    ['0 3 32 * *', 'day 32'],
    ['0 3 * 13 *', 'month 13'],
    ['0 3 * * 8', 'weekday 8'],
    ['0 3 * * MON', 'a name'],
    ['*/0 * * * *', 'a step of 0'],
    ['-5 * * * *', 'a range without a start'],
    ['1,,2 * * * *', 'an empty item'],
    [' 0 3 * * *', 'a blank in front'],
    ['0 3 * * * ', 'a blank at the end'],
  ] as const) {
    t.notMatch(expression, new RegExp(CRON_PATTERN), because);
    t.match(next(expression, NOW), /five fields/, because);
  }
});
