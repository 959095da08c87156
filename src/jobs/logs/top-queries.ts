// The statements that cost most time, with their values removed.

import type { SlowRow } from '../../otc/rds-logs.ts';
import type { EngineName } from '../../rds/spec.ts';
import { stripLiterals } from './strip-literals.ts';

export type TopQuery = {
  query: string;
  /** How often it was slow, and what that took together and at worst. */
  count: number;
  seconds: number;
  longest: number;
  databases: string[];
};

const QUERY_MAX = 500;

export function createTopQueries(engine: EngineName) {
  const byQuery = new Map<string, TopQuery>();
  return {
    add({ query, count, seconds = 0, database }: SlowRow): void {
      const bare = stripLiterals(query, engine).slice(0, QUERY_MAX);
      const known = byQuery.get(bare) ?? { query: bare, count: 0, seconds: 0, longest: 0, databases: [] };
      const databases = new Set([...known.databases, ...(database === undefined ? [] : [database])]);
      byQuery.set(bare, {
        query: bare,
        count: known.count + count,
        seconds: known.seconds + seconds * count,
        longest: Math.max(known.longest, seconds),
        databases: [...databases].sort(),
      });
    },
    list(limit: number): TopQuery[] {
      const rounded = (value: number) => Math.round(value * 100) / 100;
      return [...byQuery.values()]
        .sort((a, b) => b.seconds - a.seconds || (a.query < b.query ? -1 : 1))
        .slice(0, limit)
        .map((one) => ({ ...one, seconds: rounded(one.seconds), longest: rounded(one.longest) }));
    },
  };
}
