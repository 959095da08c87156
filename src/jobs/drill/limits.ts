// How a check is asked, and how much of an answer is read.

/** Runs one query and hands its rows over. */
export type Ask = (query: string) => Promise<readonly Record<string, unknown>[]>;

/** A query for a whole table must not fill the memory. */
export const MOST_ROWS = 1_000;
