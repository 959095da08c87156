// What the children of an Rds tell about its log Jobs: shared by decisions and by the builders of children.

import { PART } from './job-state.ts';
import type { CredentialForm } from './log-order.ts';

export const LOGS_PART = 'logs';
export const FORM_ANNOTATION = 'otc.mcsps.de/credential';
/** From then on no Job works with it: keys have expired, a token is revoked. */
export const UNTIL_ANNOTATION = 'otc.mcsps.de/until';

type Child = {
  kind: string;
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
};

const partOf =
  (kind: 'Secret' | 'Job') =>
  <C extends Child>(children: readonly C[]): C[] =>
    children.filter((child) => child.kind === kind && child.metadata.labels?.[PART] === LOGS_PART);

export const logSecrets = partOf('Secret');
export const logJobs = partOf('Job');

export function named<C extends Child>(children: readonly C[], name: string | undefined): C | undefined {
  return children.find(({ metadata }) => metadata.name === name);
}

export function formOf({ metadata }: Child): CredentialForm {
  return metadata.annotations?.[FORM_ANNOTATION] === 'token' ? 'token' : 'keys';
}

export function usableUntil({ metadata }: Child): number {
  const ms = Date.parse(metadata.annotations?.[UNTIL_ANNOTATION] ?? '');
  return Number.isNaN(ms) ? Number.NEGATIVE_INFINITY : ms;
}
