// Cron expressions in UTC: five fields of numbers, lists, ranges and steps. Pure, so that the time of the next run
// always follows from the expression and from what the journal remembers.

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A leap day may be eight years away. */
const FARTHEST_DAYS = 8 * 366;

const FIELDS = [
  { name: 'minute', from: 0, to: 59, digits: '[0-5]?[0-9]' },
  { name: 'hour', from: 0, to: 23, digits: '(2[0-3]|[01]?[0-9])' },
  { name: 'day of the month', from: 1, to: 31, digits: '(3[01]|[12][0-9]|0?[1-9])' },
  { name: 'month', from: 1, to: 12, digits: '(1[0-2]|0?[1-9])' },
  { name: 'weekday', from: 0, to: 7, digits: '[0-7]' },
] as const;

const itemOf = (digits: string) => `(\\*|${digits}(-${digits})?)(/[1-9][0-9]?)?`;

/** What an expression looks like; RE2 and JavaScript read it alike. */
export const CRON_PATTERN = `^${FIELDS.map(({ digits }) => `${itemOf(digits)}(,${itemOf(digits)})*`).join(' +')}$`;

const looksRight = new RegExp(CRON_PATTERN);

type Field = { isAny: boolean; values: ReadonlySet<number> };
type Schedule = { minutes: Field; hours: Field; days: Field; months: Field; weekdays: Field };

function readField(text: string, { name, from, to }: (typeof FIELDS)[number]): Field | string {
  const values = new Set<number>();
  for (const item of text.split(',')) {
    const [range = '', step] = item.split('/');
    const [first, last] = range === '*' ? [from, to] : range.split('-').map(Number);
    const start = first ?? from;
    const end = last ?? (step === undefined ? start : to);
    if (end < start) return `the ${name} ${range} ends before it begins`;
    for (let value = start; value <= end; value += Number(step ?? 1)) values.add(value);
  }
  // 7 is Sunday too.
  if (to === 7 && values.has(7)) values.add(0);
  return { isAny: text.startsWith('*'), values };
}

function parse(text: string): Schedule | string {
  if (!looksRight.test(text)) return 'it must have five fields: minute, hour, day, month, weekday';
  const parts = text.split(/ +/);
  const fields = FIELDS.map((field, index) => readField(parts[index] ?? '', field));
  const problem = fields.find((field) => typeof field === 'string');
  if (problem !== undefined) return problem;
  const [minutes, hours, days, months, weekdays] = fields as [Field, Field, Field, Field, Field];
  return { minutes, hours, days, months, weekdays };
}

/** As cron has it: where both the day and the weekday are given, either will do. */
function isDay({ days, months, weekdays }: Schedule, midnight: number): boolean {
  const date = new Date(midnight);
  if (!months.values.has(date.getUTCMonth() + 1)) return false;
  const byDay = days.values.has(date.getUTCDate());
  const byWeekday = weekdays.values.has(date.getUTCDay());
  return days.isAny || weekdays.isAny ? byDay && byWeekday : byDay || byWeekday;
}

function firstOfDay({ minutes, hours }: Schedule, midnight: number, after: number): number | undefined {
  for (let hour = 0; hour < 24; hour += 1) {
    if (!hours.values.has(hour)) continue;
    for (let minute = 0; minute < 60; minute += 1) {
      const at = midnight + (hour * 60 + minute) * MINUTE_MS;
      if (minutes.values.has(minute) && at > after) return at;
    }
  }
  return undefined;
}

/** The first time of the expression after `after`, or what is wrong with it. */
export function nextTime(expression: string, after: number): { at: number } | { problem: string } {
  const schedule = parse(expression);
  if (typeof schedule === 'string') return { problem: schedule };
  const today = Math.floor(after / DAY_MS) * DAY_MS;
  for (let day = 0; day <= FARTHEST_DAYS; day += 1) {
    const midnight = today + day * DAY_MS;
    const at = isDay(schedule, midnight) ? firstOfDay(schedule, midnight, after) : undefined;
    if (at !== undefined) return { at };
  }
  return { problem: 'that day never comes' };
}
