// Every scenario, in the order in which the exclusive ones run.
import type { Scenario } from '../scenario.ts';
import { dayTwo } from './day-two.ts';
import { disturbances } from './disturbances.ts';
import { identity } from './identity.ts';
import { life } from './life.ts';
import { orders } from './orders.ts';
import { lostBackupOrder, rdsBackups } from './rdsbackup.ts';
import { storedOld } from './stored-old.ts';
import { crdGone, surroundings } from './surroundings.ts';

export const SCENARIOS: readonly Scenario[] = [
  storedOld,
  ...life,
  ...identity,
  ...orders,
  ...surroundings,
  ...rdsBackups,
  ...dayTwo,
  ...disturbances,
  lostBackupOrder,
  crdGone,
];
