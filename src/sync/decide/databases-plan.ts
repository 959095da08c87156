// What is decided about databases and users: apart from the decision, since plans and children name it too.

import type { ConditionWish } from '../../rds/conditions.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { SqlJobWish } from '../children/sql-job.ts';
import type { Drawing, UserSecretWish } from '../children/user-secrets.ts';

export type DatabasesPlan = {
  conditions: ConditionWish[];
  report: RdsStatus['databases'];
  start: SqlJobWish | undefined;
  /** Jobs that stay as they are; others are dropped. */
  keep: readonly string[];
  secrets: UserSecretWish[];
  /** Drawings that an answer must hand on, and the names of those that are still needed. */
  draws?: readonly Drawing[];
  keepDrawn: readonly string[];
  resyncAfterSeconds: number;
};
