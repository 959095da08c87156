// Operations that end in Jobs: logs by keys and by tokens, databases and users; alone and in each other's way.

import { MINUTE, SECOND } from './clock.ts';
import type { Strike } from './decisions.ts';
import type { DeclaredUser, Deed, Policy } from './plan.ts';
import type { Scenario } from './scenario.ts';
import { CANARY } from './secrets.ts';

const create = (policy: Policy = 'Delete'): Deed => ({
  do: 'create',
  password: 'generated',
  policy,
  flavor: 'rds.mysql.c2.medium',
  sizeGb: 40,
});

const LOGS: Deed = { do: 'order logs', value: '2h' };
const DELETE: Deed = { do: 'delete', foreground: false };

/** The account gives no keys, so each container gets a token. */
const NO_KEYS: Strike[] = [1, 2, 3, 4].map((occurrence) => ({ site: 'otc keys', occurrence, kind: '403' }));
/** The Job is made, and nothing ever comes of it by itself. */
const IDLE_POD: Strike = { site: 'pod logs', occurrence: 1, kind: 'never' };
/** Whatever stands between a token and its end. */
const AROUND_TOKENS = [
  'otc login',
  'otc revoke',
  'kube journal swap',
  'hook /sync',
  'loop apply',
  'loop delete',
];

const logs = (name: string, more: Partial<Scenario>): Scenario => ({
  name,
  before: [create()],
  deed: LOGS,
  forMs: 2 * MINUTE,
  ...more,
});

const GENERATED: DeclaredUser = { name: 'app', password: 'generated', rights: ['ALL'] };
const GIVEN: DeclaredUser = { name: 'report', password: 'secret', rights: ['SELECT'] };
const declare = (users: DeclaredUser[], more: Partial<Extract<Deed, { do: 'declare' }>> = {}): Deed => ({
  do: 'declare',
  databases: ['shop'],
  users,
  ...more,
});

const sql = (name: string, more: Partial<Scenario>): Scenario => ({
  name,
  before: [create()],
  deed: declare([GENERATED, GIVEN]),
  forMs: 2 * MINUTE,
  ...more,
});

const AROUND_SQL = ['pod sql', 'hook /sync', 'loop apply', 'loop delete', 'kube live rds'];

export const JOB_SCENARIOS: readonly Scenario[] = [
  logs('logs', {
    strikes: ['otc keys', 'otc error log', 'otc slow log', 'pod logs', 'kube pods', 'hook /sync'],
  }),
  logs('logs by status', { deed: { do: 'logs by status' }, strikes: ['loop status', 'kube journal swap'] }),
  logs('logs by token', { always: NO_KEYS, strikes: [...AROUND_TOKENS, 'pod logs'] }),
  logs('logs, and again before the Job has ended', {
    always: [...NO_KEYS, IDLE_POD],
    next: { afterMs: 20 * SECOND, deed: { do: 'order logs', value: '3h' } },
    strikes: AROUND_TOKENS,
  }),
  logs('logs, and the Rds is deleted before the Job has ended', {
    always: [...NO_KEYS, IDLE_POD],
    next: { afterMs: 20 * SECOND, deed: DELETE },
    forMs: 3 * MINUTE,
    strikes: [...AROUND_TOKENS, 'hook /finalize'],
  }),
  logs('logs, and the Rds is let go before the Job has ended', {
    before: [create('Retain')],
    always: [...NO_KEYS, IDLE_POD],
    next: { afterMs: 20 * SECOND, deed: DELETE },
    forMs: 3 * MINUTE,
    strikes: [...AROUND_TOKENS, 'hook /finalize', 'otc find by id'],
  }),
  sql('databases and users', { strikes: [...AROUND_SQL, 'kube pods'] }),
  sql('other users before the Job has ended', {
    next: { afterMs: 12 * SECOND, deed: declare([GIVEN], { removal: 'Drop' }) },
    strikes: AROUND_SQL,
  }),
  sql('a new password for a user', {
    before: [create(), declare([GENERATED, GIVEN])],
    prepareMs: 4 * MINUTE,
    deed: { do: 'new user password', value: `${CANARY}-secondUserPw` },
    strikes: AROUND_SQL,
  }),
  sql('new rights, and a picture from before their Job had ended', {
    before: [create(), declare([GENERATED]), declare([{ ...GENERATED, rights: ['SELECT'] }])],
    gapMs: 2 * MINUTE,
    prepareMs: 8 * MINUTE,
    deed: { do: 'parent goes back', versions: 1 },
    strikes: ['kube live rds'],
  }),
  sql('users dropped, and an old picture of them', {
    before: [
      create(),
      declare([GENERATED, GIVEN], { removal: 'Drop' }),
      declare([GIVEN], { removal: 'Drop' }),
    ],
    gapMs: 3 * MINUTE,
    deed: { do: 'parent goes back', versions: 8 },
    strikes: ['kube live rds'],
  }),
];
