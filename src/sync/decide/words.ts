// The sentences of conditions. Each says what is, why, and what comes next; none may change from call to call
// while nothing happens (it would loop Metacontroller), and none may hold a secret.

import type { ConditionWish } from '../../rds/conditions.ts';
import { isoTime } from '../../rds/conditions.ts';
import type { Reason } from '../../rds/reasons.ts';
import type { Failure } from './observed.ts';

export const ready = (status: ConditionWish['status'], reason: Reason, message: string): ConditionWish => ({
  type: 'Ready',
  status,
  reason,
  message,
});

export const synced = (status: ConditionWish['status'], reason: Reason, message: string): ConditionWish => ({
  type: 'Synced',
  status,
  reason,
  message,
});

export const progressing = (
  status: ConditionWish['status'],
  reason: Reason,
  message: string,
): ConditionWish => ({ type: 'Progressing', status, reason, message });

export const idle = (): ConditionWish => progressing('False', 'Idle', 'No operation runs.');

/** OTC's code and request id let the cloud's support find the call. */
export function failureText(failure: Failure): string {
  const field = failure.field ? `${failure.field}: ` : '';
  const trace = failure.requestId ? `, request ${failure.requestId}` : '';
  return `${field}${failure.message} (${failure.code}${trace})`;
}

/**
 * A failure that comes again with every call must read the same every time: the request id of the first one
 * stays until the code or the text changes.
 */
export function steadyFailureText(failure: Failure, previous: string | undefined): string {
  const stem = failureText({ ...failure, requestId: undefined }).replace(/\)$/, '');
  const start = previous?.indexOf(stem) ?? -1;
  if (previous !== undefined && start >= 0) {
    const old = /^(, request [\w-]+)?\)/.exec(previous.slice(start + stem.length));
    if (old) return `${stem}${old[0]}`;
  }
  return failureText(failure);
}

export function failureReason(failure: Failure): Reason {
  if (failure.code === 'CREDENTIALS') return 'CredentialsInvalid';
  if (failure.class === 'user')
    return failure.code === 'FLAVOR'
      ? 'UnknownFlavor'
      : failure.code === 'SOLDOUT'
        ? 'FlavorSoldOut'
        : 'CloudRefused';
  return failure.class === 'terminal' ? 'CloudForbidden' : 'CloudUnreachable';
}

export function until(ms: number): string {
  return isoTime(ms);
}
