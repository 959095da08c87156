// What the API server does with an Rds because of our CRD: prune, default, validate, refuse changes. The CEL
// rules themselves run only in a real API server; their TypeScript twins stand in here.

import type { KubeObject } from '../kube/api.ts';
import { fullSpec, withDefaults } from '../rds/defaults.ts';
import { pruned } from '../rds/prune.ts';
import { CHANGE_RULES, NAME_PATTERN } from '../rds/rules.ts';
import { type RdsSpec, RdsSpecSchema } from '../rds/spec.ts';
import { RdsStatusSchema } from '../rds/status.ts';
import { specProblems, statusProblems } from '../rds/validate.ts';
import type { Admission } from './writes.ts';

type Schema = Parameters<typeof withDefaults>[1];

function refusal(message: string): ReturnType<Admission> {
  return { reject: { status: 422, message } };
}

export const rdsAdmission: Admission = (next, previous) => {
  if (typeof next.spec !== 'object' || next.spec === null)
    return refusal('spec is missing; an empty one (spec: {}) takes all defaults');
  const { name } = next.metadata;
  if (!previous && !(new RegExp(NAME_PATTERN).test(name) && name.length <= 52)) {
    return refusal(
      'metadata.name: must be a DNS label of at most 52 characters: a Service is named after it',
    );
  }
  const { spec, isChanged } = admittedSpec(next, previous);
  const object: KubeObject = { ...next, spec };
  const [problem] = isChanged ? specProblems(spec) : [];
  if (problem) return refusal(`${problem.field}: ${problem.message}`);
  // What is stored already was pruned and judged when it came.
  if (next.status !== undefined && next.status !== previous?.status) {
    object.status = admittedStatus(next.status);
    const [wrong] = object.status === next.status ? [] : statusProblems(object.status);
    if (wrong) return refusal(`${wrong.field}: ${wrong.message}`);
  }
  if (previous && isChanged) {
    const before = fullSpec(previous.spec as RdsSpec);
    const broken = CHANGE_RULES.find((rule) => !rule.holds(fullSpec(spec), before));
    if (broken) return refusal(`${broken.field}: ${broken.message}`);
  }
  return { object };
};

/** Whatever passes the closed schema has nothing to prune. */
const admittedStatus = (status: unknown): unknown =>
  statusProblems(status).length === 0 ? status : pruned(status, RdsStatusSchema);

/** Ratcheting: what is stored already may stay as it is. */
function admittedSpec(
  next: KubeObject,
  previous: KubeObject | undefined,
): { spec: RdsSpec; isChanged: boolean } {
  if (next.spec === previous?.spec) return { spec: next.spec as RdsSpec, isChanged: false };
  const spec = withDefaults(pruned(next.spec, RdsSpecSchema), RdsSpecSchema as Schema) as RdsSpec;
  return { spec, isChanged: !previous || JSON.stringify(previous.spec) !== JSON.stringify(spec) };
}
