import t from 'tap';
import { parsedTime } from '../../src/rds/time.ts';

for (const [text, want, because] of [
  ['2026-11-16T08:00:00Z', '2026-11-16T08:00:00.000Z', 'UTC'],
  ['2026-11-16T10:00:00+02:00', '2026-11-16T08:00:00.000Z', 'east of it'],
  ['2026-11-16T02:30:00-05:30', '2026-11-16T08:00:00.000Z', 'west of it, by half an hour'],
  ['2026-11-17T00:30:00+01:00', '2026-11-16T23:30:00.000Z', 'another day there'],
  ['2026-11-16T08:00:00.250Z', '2026-11-16T08:00:00.250Z', 'parts of a second'],
  ['2026-11-16t08:00:00z', '2026-11-16T08:00:00.000Z', 'small letters, as the standard allows'],
  ['2028-02-29T08:00:00Z', '2028-02-29T08:00:00.000Z', 'a leap day'],
] as const)
  t.equal(new Date(parsedTime(text) ?? Number.NaN).toISOString(), want, `${text}: ${because}`);

for (const [text, because] of [
  ['', 'nothing'],
  ['yesterday', 'a word'],
  ['2026-11-16', 'a day is no time'],
  ['2026-11-16T08:00:00', 'no offset: whose eight o clock?'],
  ['2026-11-16 08:00:00Z', 'a blank for the T'],
  ['2026-11-16T08:00Z', 'no seconds'],
  ['2026-11-16T08:00:00 CET', 'the name of a zone'],
  ['2026-11-16T08:00:00+2', 'half an offset'],
  ['2026-11-16T08:00:00+25:00', 'an offset that no place has'],
  ['16.11.2026 08:00:00', 'another order'],
  ['11/16/2026 8:00 AM', 'yet another order'],
  ['1794816000', 'seconds since 1970'],
  ['2026-02-30T08:00:00Z', 'a day that does not exist would become 2 March'],
  ['2026-11-31T08:00:00Z', 'a day that does not exist would become 1 December'],
  ['2026-02-29T08:00:00Z', 'no leap year'],
  ['2026-00-10T08:00:00Z', 'month 0'],
  ['2026-13-10T08:00:00Z', 'month 13'],
  ['2026-11-16T24:00:00Z', 'hour 24 would become the next day'],
  ['2026-11-16T08:60:00Z', 'minute 60'],
  ['2026-11-16T08:00:60Z', 'second 60'],
] as const)
  t.equal(parsedTime(text), undefined, `${text}: ${because}`);
