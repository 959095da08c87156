// Backups as objects: made, removed, kept, adopted and restored, struck where hook, cloud and cluster meet.

import type { Keeping } from './backup-plan.ts';
import { MINUTE, SECOND } from './clock.ts';
import type { Deed } from './plan.ts';
import type { Scenario } from './scenario.ts';

const create: Deed = {
  do: 'create',
  password: 'generated',
  policy: 'Delete',
  flavor: 'rds.mysql.c2.medium',
  sizeGb: 40,
};
const make = (policy: Keeping = 'Delete'): Deed => ({ do: 'make backup', policy });
const remove: Deed = { do: 'remove backup', which: 0 };

const scenario = (
  name: string,
  before: Deed[],
  deed: Deed,
  strikes: readonly string[],
  more: Partial<Scenario> = {},
): Scenario => ({
  name: `backup: ${name}`,
  backsUp: true,
  before,
  gapMs: before.length > 1 ? 2 * MINUTE : 0,
  prepareMs: before.length > 1 ? 4 * MINUTE : 2 * MINUTE,
  deed,
  forMs: 2 * MINUTE,
  strikes,
  ...more,
});

const JOURNAL = ['kube journal create', 'kube journal read', 'kube journal swap', 'kube live backup'];
const HOOKS = ['hook /rdsbackup/sync', 'hook /rdsbackup/customize'];

export const BACKUP_SCENARIOS: readonly Scenario[] = [
  scenario('made', [create], make(), [
    'otc backup order',
    'otc backups',
    'otc find by id',
    'loop status',
    ...JOURNAL,
    ...HOOKS,
  ]),
  scenario('made without an answer', [create], make(), ['otc backups', 'kube journal swap'], {
    always: [{ site: 'otc backup order', occurrence: 1, kind: 'timeout-after' }],
    forMs: 8 * MINUTE,
  }),
  scenario('removed', [create, make()], remove, [
    'otc backup delete',
    'otc backups',
    'hook /rdsbackup/finalize',
    'loop finalizer',
    ...JOURNAL,
  ]),
  scenario('removed while it is ordered', [create], make(), ['otc backup order', 'kube journal swap'], {
    next: { afterMs: 4 * SECOND, deed: remove },
    isStruckAtOnce: true,
    forMs: 8 * MINUTE,
  }),
  scenario('kept', [create, make('Retain')], remove, ['hook /rdsbackup/finalize', 'kube journal swap']),
  scenario(
    'kept after all',
    [create, make('Retain'), { do: 'backup policy', which: 0, to: 'Delete' }],
    remove,
    ['kube live backup', 'otc backup delete'],
    {
      prepareMs: 6 * MINUTE,
      next: { afterMs: 2 * SECOND, deed: { do: 'backup policy', which: 0, to: 'Retain' } },
      isStruckAtOnce: true,
    },
  ),
  scenario('adopted', [create, make('Retain')], { do: 'adopt backup', which: 0, policy: 'Delete' }, [
    'otc backups',
    ...JOURNAL,
  ]),
  scenario(
    'adopted and removed while its maker lives',
    [create, make(), { do: 'adopt backup', which: 0, policy: 'Delete' }],
    { do: 'remove backup', which: 1 },
    ['kube journal list', 'kube journal swap'],
    { prepareMs: 6 * MINUTE },
  ),
  scenario(
    'removed at the console',
    [create, make()],
    { do: 'hand removes backup', which: 0 },
    ['otc backups'],
    { next: { afterMs: MINUTE, deed: remove } },
  ),
  scenario('restored', [create, make()], { do: 'restore from backup', which: 0 }, [
    'otc create',
    'otc backups',
  ]),
  scenario(
    'an old picture after the delete',
    [create, make()],
    remove,
    ['hook /rdsbackup/sync', 'kube journal read'],
    { next: { afterMs: 20 * SECOND, deed: { do: 'backup goes back', which: 0, versions: 3 } } },
  ),
];
