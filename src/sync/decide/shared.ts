// Whom an Rds shares its Secrets with, as a condition: only where it says something about that, or said it once.

import { type ConditionWish, findCondition } from '../../rds/conditions.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import { annotation } from '../../rds/object.ts';
import { allowedBy } from '../../rds/sharing.ts';
import type { Observed } from './observed.ts';

export function sharedCondition({ rds }: Observed): ConditionWish[] {
  const value = annotation(rds, ANNOTATIONS.shareWith);
  const type = 'Shared' as const;
  if (value === undefined) {
    const wasSaid = findCondition(rds.status?.conditions, type) !== undefined;
    const message = 'No other namespace may have a Secret of this Rds.';
    return wasSaid ? [{ type, status: 'False', reason: 'NotShared', message }] : [];
  }
  const { allowed, refused } = allowedBy(value);
  const names = allowed.map(({ namespace, user }) =>
    user === undefined ? namespace : `${namespace} (user ${user})`,
  );
  const told = names.length > 0 ? `Allowed: ${names.join(', ')}.` : 'Nobody is allowed.';
  if (refused.length === 0)
    return [
      {
        type,
        status: names.length > 0 ? 'True' : 'False',
        reason: names.length > 0 ? 'Shared' : 'NotShared',
        message: told,
      },
    ];
  const problems = refused.map(({ text, because }) => `${text.slice(0, 80)}: ${because}`).join('; ');
  return [
    {
      type,
      status: 'False',
      reason: 'ShareRefused',
      message: `In ${ANNOTATIONS.shareWith}: ${problems}. ${told}`.slice(0, 4_000),
    },
  ];
}
