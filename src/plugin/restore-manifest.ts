// A new Rds from a backup or a point in time: the fields of the old one that make sense for another instance.

import type { RdsSpec } from '../rds/spec.ts';
import type { RdsStatus } from '../rds/status.ts';
import { API_VERSION } from './cluster.ts';

export type Manifest = {
  apiVersion: string;
  kind: 'Rds';
  metadata: { name: string; namespace: string; annotations?: Record<string, string> };
  spec: RdsSpec;
};

/**
 * Passwords are never copied: the new instance draws its own. What would act on other things (a restore in place,
 * an alarm endpoint), cost twice (replicas) or stop the new one at once is left out.
 */
const LEFT_OUT = [
  'password',
  'passwordSecretRef',
  'restoreFrom',
  'backuprestoretime',
  'readReplicas',
  'endpoint',
  'autopilot',
  'backup',
  'stopped',
  'paused',
  'minorUpgrade',
] as const satisfies (keyof RdsSpec)[];

export function restoreManifest(
  source: { spec: RdsSpec; status?: RdsStatus },
  target: { name: string; namespace: string },
  restoreFrom: NonNullable<RdsSpec['restoreFrom']>,
): Manifest {
  const spec: RdsSpec = { ...source.spec };
  for (const field of LEFT_OUT) delete spec[field];
  if (spec.users) spec.users = spec.users.map(({ password: _secret, ...user }) => user);
  const { flavor, volumeGb } = source.status ?? {};
  if (flavor !== undefined) spec.flavorref = flavor;
  // Not smaller than the source, which may have grown.
  if (volumeGb !== undefined) spec.volumesize = Math.max(volumeGb, spec.volumesize ?? 0);
  return { apiVersion: API_VERSION, kind: 'Rds', metadata: target, spec: { ...spec, restoreFrom } };
}
