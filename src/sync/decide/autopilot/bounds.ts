// Bounds that cannot work. They stop the autopilot, and nothing else.

import type { Flavor, Instance } from '../../../otc/cloud.ts';
import { type Autopilot, endpointProblem } from '../../../rds/autopilot.ts';
import type { Problem } from '../../../rds/validate.ts';
import { sizeOf } from './machine.ts';

const COMPUTE = 'spec.autopilot.compute';

export function autopilotProblems(
  { endpoint, storage, compute }: Autopilot,
  instance: Instance,
  flavors: readonly Flavor[] | undefined,
): Problem[] {
  const problems: Problem[] = [];
  const add = (field: string, message: string | undefined) => {
    if (message !== undefined) problems.push({ field, message });
  };
  add('spec.endpoint', endpointProblem(endpoint));
  if (storage.maxGb < instance.volumeGb) {
    const message = `is ${storage.maxGb}, and the disk has ${instance.volumeGb} GB already; set at least that`;
    add('spec.autopilot.storage.maxGb', message);
  }
  if (!flavors) return problems;
  const size = (code: string | undefined) => (code === undefined ? undefined : sizeOf(flavors, code));
  const { maxFlavor, minFlavor } = compute;
  const [max, min, present] = [size(maxFlavor), size(minFlavor), size(instance.flavor)];
  const unknown = (code: string) =>
    `${code} does not exist for ${instance.engine} ${instance.version}; take one of the series of ${instance.flavor}`;
  if (maxFlavor !== undefined && !max) add(`${COMPUTE}.maxFlavor`, unknown(maxFlavor));
  if (minFlavor !== undefined && !min) add(`${COMPUTE}.minFlavor`, unknown(minFlavor));
  const isBelow = (one = max, other = present) =>
    one !== undefined && other !== undefined && (one.vcpus < other.vcpus || one.ramGb < other.ramGb);
  if (isBelow(max, present))
    add(`${COMPUTE}.maxFlavor`, `${maxFlavor} is smaller than the present machine ${instance.flavor}`);
  else if (isBelow(max, min))
    add(`${COMPUTE}.minFlavor`, `${minFlavor} is larger than maxFlavor ${maxFlavor}`);
  return problems;
}
