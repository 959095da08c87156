// Checks at both edges: the spec that comes in, and every status before it leaves (a field that the CRD does
// not know would be pruned silently, a wrong type would block the status for ever).

import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type FullSpec, fullSpec } from './defaults.ts';
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

const specCheck = Compile(RdsSpecSchema);
const statusCheck = Compile(closed(RdsStatusSchema) as TSchema);

export type Problem = { field: string; message: string };

export function problemsOf(errors: { instancePath: string; message: string }[], root: string): Problem[] {
  return errors.map(({ instancePath, message }) => ({
    field: `${root}${instancePath.replaceAll('/', '.')}`,
    message,
  }));
}

const judged = new WeakMap<object, Problem[]>();

/** All that is wrong with a spec, whatever let it in; judged once for each call. */
export function specProblems(spec: unknown): Problem[] {
  if (typeof spec !== 'object' || spec === null) return findSpecProblems(spec);
  const problems = judged.get(spec) ?? findSpecProblems(spec);
  judged.set(spec, problems);
  return problems;
}

/** The value itself is not repeated: it may be a secret. */
function findSpecProblems(spec: unknown): Problem[] {
  if (!specCheck.Check(spec)) return problemsOf(specCheck.Errors(spec), 'spec');
  const full: FullSpec = fullSpec(spec as RdsSpec);
  return SPEC_RULES.filter((rule) => !rule.holds(full)).map(({ field, message }) => ({ field, message }));
}

export function statusProblems(status: unknown): Problem[] {
  return statusCheck.Check(status) ? [] : problemsOf(statusCheck.Errors(status), 'status');
}
