// When a check has passed: its query gave a row, and the row begins with something. So `SELECT count(*) FROM orders`
// asks for orders, and `SELECT max(created) > now() - interval 2 day FROM orders` for recent ones.

type Row = Record<string, unknown>;

/** Empty when it has; what was read is never part of it. */
export function whyNot(rows: readonly Row[]): string {
  const [first] = rows;
  if (!first) return 'the query gave no row';
  const [value] = Object.values(first);
  if (value === null || value === undefined) return `the first of ${counted(rows)} begins with NULL`;
  return isNothing(value) ? `the first of ${counted(rows)} begins with 0, false or nothing` : '';
}

const counted = (rows: readonly Row[]): string => (rows.length === 1 ? '1 row' : `${rows.length} rows`);

/** Drivers hand large and exact numbers over as text. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() === '' || Number(value) === 0;
  return value === false || value === 0 || value === 0n;
}
