// One side asks, the other allows, somebody withdraws, takes the name or makes everything anew: struck where the hook
// and Metacontroller meet.

import { MINUTE } from './clock.ts';
import { type Deed, ROTATING } from './plan.ts';
import type { Scenario } from './scenario.ts';

const create = (more: Extract<Deed, { do: 'create' }>['more'] = {}): Deed => ({
  do: 'create',
  password: 'generated',
  policy: 'Delete',
  flavor: 'rds.mysql.c2.medium',
  sizeGb: 40,
  more,
});
const ask = (by: string, value: string | null): Deed => ({ do: 'ask', by, value });
const allow = (value: string): Deed => ({ do: 'allow', value });

const SHARED = [create(), ask('app-1', 'team-a/db1'), allow('app-1,app-2')];
const APP: Deed = {
  do: 'declare',
  databases: ['shop'],
  users: [{ name: 'app', password: 'generated', rights: ['ALL'] }],
  removal: 'Drop',
};

const scenario = (
  name: string,
  before: Deed[],
  deed: Deed,
  strikes: readonly string[],
  more: Partial<Scenario> = {},
): Scenario => ({
  name: `sharing: ${name}`,
  shares: true,
  before,
  deed,
  prepareMs: 3 * MINUTE,
  forMs: 2 * MINUTE,
  strikes,
  ...more,
});

export const SHARE_SCENARIOS: readonly Scenario[] = [
  scenario('a new namespace asks', [create(), allow('app-9')], ask('app-9', 'team-a/db1'), [
    'hook /share/sync',
    'hook /share/customize',
    'kube secret owner',
    'kube live rds',
    'loop namespace',
    'loop apply',
  ]),
  scenario('the Rds takes it back', SHARED, allow('app-2'), ['hook /share/sync', 'loop delete']),
  scenario('the namespace takes it back', SHARED, ask('app-1', null), ['hook /share/sync', 'loop namespace']),
  scenario(
    'an old picture of the namespace',
    [...SHARED, ask('app-1', null)],
    {
      do: 'namespace goes back',
      namespace: 'app-1',
      versions: 2,
    },
    ['hook /share/sync'],
    { gapMs: 30_000, prepareMs: 4 * MINUTE },
  ),
  scenario(
    'an old picture of the Rds takes the marks away',
    SHARED,
    { do: 'parent goes back', versions: 2 },
    ['hook /share/sync'],
    { gapMs: 60_000, prepareMs: 6 * MINUTE },
  ),
  scenario('only the namespace says so', [create(), ask('app-1', 'team-a/db1')], allow('app-2'), [
    'hook /share/sync',
  ]),
  scenario('only the Rds says so', [create(), allow('app-1')], ask('app-2', 'team-a/db1'), [
    'loop namespace',
  ]),
  scenario(
    'the name is taken',
    [create(), { do: 'take name', in: 'app-1' }, allow('app-1')],
    ask('app-1', 'team-a/db1'),
    ['kube secret owner'],
    { next: { afterMs: MINUTE, deed: { do: 'give name back', in: 'app-1' } }, isStruckAtOnce: true },
  ),
  scenario(
    'wild cards',
    [create(), ask('app-1', 'team-a/*, */db1, *'), allow('*')],
    ask('app-2', 'team-a/db1'),
    ['hook /share/sync', 'loop namespace'],
  ),
  scenario(
    'a forged Secret',
    [create(), { do: 'forge', in: 'app-2' }, allow('app-1')],
    ask('app-1', 'team-a/db1, app-2/db1'),
    ['hook /share/sync'],
  ),
  scenario('somebody edits the copy', SHARED, { do: 'edit copy', in: 'app-1' }, ['loop apply']),
  scenario(
    'another password',
    [{ ...create(), password: 'spec' } as Deed, ...SHARED.slice(1)],
    { do: 'new password', value: 'CNRYx7-secondPw2' },
    ['hook /share/sync'],
  ),
  scenario(
    'rotation',
    [create(ROTATING), ask('app-1', 'team-a/db1/app'), allow('app-1/app')],
    { do: 'sync for no reason' },
    ['loop apply'],
    { forMs: 14 * MINUTE },
  ),
  scenario(
    'the user goes',
    [create(), APP, ask('app-1', 'team-a/db1/app'), allow('app-1')],
    { ...APP, users: [] } as Deed,
    ['hook /share/sync'],
    { prepareMs: 6 * MINUTE, forMs: 4 * MINUTE },
  ),
  scenario('the Rds is made again', SHARED, { do: 'delete', foreground: false }, ['hook /share/sync'], {
    next: { afterMs: 4 * MINUTE, deed: { do: 'recreate' } },
    isStruckAtOnce: true,
    forMs: 4 * MINUTE,
  }),
  scenario(
    'the namespace goes',
    SHARED,
    { do: 'asking namespace goes', name: 'app-1' },
    ['hook /share/sync'],
    {
      next: { afterMs: MINUTE, deed: ask('app-1', 'team-a/db1') },
      isStruckAtOnce: true,
    },
  ),
];
