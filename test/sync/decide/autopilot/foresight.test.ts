import t from 'tap';
import { daysUntilFull, roundedDays } from '../../../../src/sync/decide/autopilot/foresight.ts';

const HOUR = 3_600_000;
/** `perDay` GB a day over a week, a value every four hours, ending at `endGb`. */
const line = (perDay: number, endGb: number, count = 42) =>
  Array.from({ length: count }, (_, index) => ({
    at: index * 4 * HOUR,
    value: endGb - ((count - 1 - index) * 4 * perDay) / 24,
  }));

t.test('days until full', async (t) => {
  t.equal(Math.round(daysUntilFull(line(1, 30), 40) ?? 0), 10, '10 GB left, 1 GB a day');
  t.equal(daysUntilFull(line(0, 30), 40), Number.POSITIVE_INFINITY, 'it does not grow');
  t.equal(daysUntilFull(line(-1, 30), 40), Number.POSITIVE_INFINITY, 'it shrinks');
  t.equal(daysUntilFull(line(1, 30, 5), 40), undefined, 'less than a day is too little to tell');
  t.equal(daysUntilFull(line(1, 45), 40), 0, 'full');
});

const CASES: { days: number; before: number | undefined; want: number | undefined; because: string }[] = [
  { days: 9.3, before: undefined, want: 10, because: 'the nearest step' },
  { days: 9.3, before: 7, want: 7, because: 'what was told holds while it is about right' },
  { days: 11.3, before: 7, want: 10, because: 'and no longer' },
  { days: 4.1, before: 7, want: 5, because: 'nor when it comes much nearer' },
  { days: 70, before: undefined, want: undefined, because: 'two months are not worth a word' },
  { days: 70, before: 60, want: 60, because: 'but no reason to take one back' },
  { days: 200, before: 60, want: undefined, because: 'it lasts' },
  { days: 0, before: undefined, want: 1, because: 'never less than a day' },
];

for (const { days, before, want, because } of CASES)
  t.test(because, async (t) => {
    t.equal(roundedDays(days, before), want);
  });

t.test('two replicas that read hours apart tell the same', async (t) => {
  for (let days = 50; days > 1; days -= 0.05) {
    const told = roundedDays(days, undefined);
    const other = roundedDays(days - 0.25 < 0.5 ? days : days * 0.97, told);
    if (told !== other) t.fail(`${days}: ${told}, then ${other}`);
  }
  t.pass('from 50 days to 1');
});
