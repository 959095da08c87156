// Checks at both edges: the spec that comes in, and every status before it leaves (a field that the CRD does
// not know would be pruned silently, a wrong type would block the status for ever).

import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { IsDateTime, Set as setFormat } from 'typebox/format';
import { type FullSpec, fullSpec } from './defaults.ts';
import { isAllKnown } from './prune.ts';
import { SPEC_RULES } from './rules.ts';
import { type RdsSpec, RdsSpecSchema } from './spec.ts';
import { RdsStatusSchema } from './status.ts';

type Json = Record<string, unknown>;

/** The same schema with every object closed, as pruning makes it. */
export function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Json = {};
  for (const [keyword, value] of Object.entries(schema)) copy[keyword] = closed(value);
  if (copy.type === 'object' && copy.properties) copy.additionalProperties = false;
  return copy;
}

/** As we write them: the general check costs ten times as much, and a status is full of times. */
const OUR_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;
setFormat('date-time', (value) => OUR_TIME.test(value) || IsDateTime(value));

const specCheck = Compile(RdsSpecSchema);
const statusCheck = Compile(RdsStatusSchema);
const closedStatusCheck = Compile(closed(RdsStatusSchema) as TSchema);

export type Problem = { field: string; message: string };

export function problemsOf(errors: { instancePath: string; message: string }[], root: string): Problem[] {
  return errors.map(({ instancePath, message }) => ({
    field: `${root}${instancePath.replaceAll('/', '.')}`,
    message,
  }));
}

/** What was read or written is not changed any more: it is judged once, however many ask. */
function judgedOnce(judge: (value: unknown) => Problem[]): (value: unknown) => Problem[] {
  const judged = new WeakMap<object, Problem[]>();
  return (value) => {
    if (typeof value !== 'object' || value === null) return judge(value);
    const known = judged.get(value);
    if (known) return known;
    const problems = judge(value);
    judged.set(value, problems);
    return problems;
  };
}

/** All that is wrong with a spec, whatever let it in. */
export const specProblems = judgedOnce(findSpecProblems);

/** The value itself is not repeated: it may be a secret. */
function findSpecProblems(spec: unknown): Problem[] {
  if (!specCheck.Check(spec)) return problemsOf(specCheck.Errors(spec), 'spec');
  const full: FullSpec = fullSpec(spec as RdsSpec);
  return SPEC_RULES.filter((rule) => !rule.holds(full)).map(({ field, message }) => ({ field, message }));
}

export const statusProblems = judgedOnce(findStatusProblems);

/** For a status that nobody asks about again. The closed check tries a pattern on every name: only for what is wrong. */
export function findStatusProblems(status: unknown): Problem[] {
  return isAllKnown(status, RdsStatusSchema) && statusCheck.Check(status)
    ? []
    : problemsOf(closedStatusCheck.Errors(status), 'status');
}
