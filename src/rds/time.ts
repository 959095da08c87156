// Times that people write. A time without offset means something else to each reader, so it is refused; and so is a day
// that does not exist, which would quietly become another one.

const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** RFC 3339 with offset -> epoch ms; undefined for anything else. */
export function parsedTime(text: string): number | undefined {
  const [, year, month, day] = RFC3339.exec(text) ?? [];
  if (day === undefined) return undefined;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
