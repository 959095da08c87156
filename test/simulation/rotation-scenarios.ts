// Logins that take turns, for users and for root, while their Jobs and the password reset of the cloud go wrong.

import { MINUTE } from './clock.ts';
import { type Deed, ROTATING } from './plan.ts';
import type { Scenario } from './scenario.ts';

const create = (more: typeof ROTATING): Deed => ({
  do: 'create',
  password: 'generated',
  policy: 'Delete',
  flavor: 'rds.mysql.c2.medium',
  sizeGb: 40,
  more,
});

const rotation = (name: string, more: typeof ROTATING, strikes: readonly string[]): Scenario => ({
  name,
  before: [create(more)],
  deed: { do: 'sync for no reason' },
  forMs: 45 * MINUTE,
  strikes,
});

export const ROTATION_SCENARIOS: readonly Scenario[] = [
  rotation('rotation', ROTATING, ['pod sql']),
  rotation('rotation of root', { ...ROTATING, users: [], rootRotateEvery: '4h' }, ['otc password']),
];
