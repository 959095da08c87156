// Schedules that once failed, kept as what happened in them and not as a number: a seed means another schedule as soon as
// plan or rates change. `npm run simulate -- --seeds 1 --first SEED --keep NAME` writes one.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Choose } from './decisions.ts';
import { type Course, courseOf, type Result, runCourse } from './schedule.ts';
import type { Invariant } from './violation.ts';

const FOLDER = new URL('./kept/', import.meta.url).pathname;

export type KeptSchedule = {
  invariant: Invariant;
  /** What it showed, for readers. */
  was: string;
  course: Course;
  /** What strikes the n-th call at a site, by `site#n`. */
  strikes: Record<string, string>;
};

/** Only what was needed: steps that people took, and faults of calls. */
export function keepSchedule(name: string, { seed, violation, fired }: Result): string {
  if (!violation) throw new Error(`seed ${seed} breaks nothing: there is nothing to keep`);
  const course = courseOf(seed);
  const stepKeys = new Set(course.plan.steps.map(({ key }) => key));
  const needed = new Set(fired.map(({ key }) => key));
  const steps = course.plan.steps.filter(({ key }) => needed.has(key));
  const strikes = fired.flatMap(({ key, kind }) => (stepKeys.has(key) ? [] : [[key, kind] as const]));
  const kept: KeptSchedule = {
    invariant: violation.invariant,
    was: violation.message.slice(0, 400),
    course: { ...course, plan: { ...course.plan, steps } },
    strikes: Object.fromEntries(strikes),
  };
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${name}.json`);
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
  return file;
}

export const keptSchedules = (): [name: string, kept: KeptSchedule][] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => [file.slice(0, -'.json'.length), JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))]);

export function runKept({ course, strikes }: KeptSchedule): Promise<Result> {
  const choose: Choose = (site, occurrence, kinds) => {
    const kind = strikes[`${site}#${occurrence}`];
    return kind !== undefined && kinds.includes(kind) ? kind : undefined;
  };
  return runCourse(course, choose);
}
