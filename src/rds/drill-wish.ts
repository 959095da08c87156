// What the hook asks of the Job of a drill, and what the Job tells when it ends. Both sides read it, and neither may
// import the other.

import Type, { type Static } from 'typebox';
import { PART } from './job-state.ts';
import { SQL_ENGINES } from './sql-wish.ts';

export const DRILL_PART = 'drill';
export const DRILL_CONTAINER = 'drill';

type Child = { metadata: { labels?: Record<string, string> } };

export const isDrillChild = ({ metadata }: Child): boolean => metadata.labels?.[PART] === DRILL_PART;

/** Key of the Secret that a Job needs; it is there as soon as the instance has an address. */
export const DRILL_WISH_FILE = 'wish.json';

export const DrillWishSchema = Type.Object({
  engine: Type.Enum([...SQL_ENGINES]),
  /** Where the queries run; the engine's own choice without it. */
  database: Type.Optional(Type.String({ maxLength: 64 })),
  checks: Type.Array(Type.String({ maxLength: 4096 })),
});

/** The termination message: whether each check held, never what it read. */
export const DrillReportSchema = Type.Object({
  /** It could not work at all. */
  fatal: Type.Optional(Type.String()),
  passed: Type.Integer(),
  /** By the number of the check in the spec, from 1. */
  failed: Type.Array(Type.Object({ check: Type.Integer(), why: Type.String() })),
});

export type DrillWish = Static<typeof DrillWishSchema>;
export type DrillReport = Static<typeof DrillReportSchema>;

export const DRILL_JOB_PATHS = {
  files: '/var/run/rds-pilot/drill',
  termination: '/dev/termination-log',
} as const;

/** Exit code of a Job that asked and did not like the answer: trying again would not help. */
export const DRILL_NOT_PASSED = 3;
