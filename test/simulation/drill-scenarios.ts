// Operations around backups that come back: restore drills, restores in place and into a new instance.

import type { RdsSpec } from '../../src/rds/spec.ts';
import { MINUTE, SECOND } from './clock.ts';
import type { Deed, Policy } from './plan.ts';
import type { Scenario } from './scenario.ts';

const create = (policy: Policy = 'Delete', more: Partial<RdsSpec> = {}): Deed => ({
  do: 'create',
  password: 'generated',
  policy,
  flavor: 'rds.mysql.c2.medium',
  sizeGb: 40,
  more,
});

export const DRILL_SCENARIOS: readonly Scenario[] = [
  {
    name: 'drill',
    before: [create('Delete')],
    deed: { do: 'drill', everyMinutes: 2 },
    forMs: 12 * MINUTE,
    strikes: [
      'otc drill',
      'otc delete',
      'otc quotas',
      'otc backups',
      'otc tag',
      'kube owner take',
      'pod drill',
    ],
  },
  {
    name: 'drill without an answer',
    before: [create('Delete')],
    deed: { do: 'drill', everyMinutes: 2 },
    forMs: 10 * MINUTE,
    listLagMs: 120 * SECOND,
    always: [{ site: 'otc drill', occurrence: 1, kind: 'timeout-after' }],
    strikes: ['otc drill'],
  },
  {
    name: 'delete in a drill',
    before: [create('Retain'), { do: 'drill', everyMinutes: 4 }],
    gapMs: 2 * MINUTE,
    prepareMs: 5 * MINUTE,
    deed: { do: 'delete', foreground: false },
    forMs: 8 * MINUTE,
    strikes: ['otc delete', 'otc find by name', 'kube journal swap', 'hook /finalize'],
  },
  {
    name: 'restore in place',
    before: [create('Delete'), { do: 'hand makes a backup' }],
    gapMs: 2 * MINUTE,
    prepareMs: 8 * MINUTE,
    deed: { do: 'restore in place' },
    forMs: 5 * MINUTE,
    strikes: ['otc restore in place', 'otc backup', 'otc restore time', 'otc tasks'],
  },
  {
    name: 'restore in place after a failed backup',
    before: [create('Delete'), { do: 'hand makes a backup' }],
    gapMs: 2 * MINUTE,
    prepareMs: 8 * MINUTE,
    deed: { do: 'restore in place' },
    forMs: 5 * MINUTE,
    always: [{ site: 'otc backup', occurrence: 1, kind: 'failed-backup' }],
    strikes: ['otc backup'],
  },
  {
    name: 'create from a backup',
    before: [{ do: 'foreign backup' }],
    prepareMs: SECOND,
    deed: create('Delete', {
      restoreFrom: { backupId: `${'f'.repeat(24)}00000000br01`, instanceId: `${'f'.repeat(24)}00000001in01` },
    }),
    forMs: 3 * MINUTE,
    strikes: ['otc create', 'otc backups'],
  },
];
