// Logins that are replaced while real databases run behind the instances: one of a user, and the administrator.
import { userSecretName } from '../../../src/rds/names.ts';
import { READY, rds, type Scenario, type Step } from '../scenario.ts';

/** Two engines at once on one machine: each has its own ports. */
export type Ports = { mysql: number; postgres: number };

const APP = userSecretName('shop', 'app', '%');
const CONNECTION = 'store-connection';
/** The names of Jobs have the UID in them. */
const JOBS = '(shop|store)-sql-[0-9a-f]+-[0-9a-z]+-[0-9]+';

const until = (name: string, login: string): Step => ({
  do: 'waitRds',
  name,
  until: { logins: [login] },
  isHurried: true,
});

/** One rotation as its clients live it: both work in the overlap, then only the new one. */
const turn = (name: string, secret: string, account: string, number: number): Step[] => [
  { do: 'rememberLogin', secret },
  { do: 'logIn', secret, as: 'remembered', works: true },
  until(name, `${account} #${number} Overlap`),
  { do: 'logIn', secret, as: 'remembered', works: true },
  { do: 'logIn', secret, as: 'published', works: true },
  until(name, `${account} #${number} Idle`),
  { do: 'logIn', secret, as: 'published', works: true },
  { do: 'logIn', secret, as: 'remembered', works: false },
];

export const rotations = ({ mysql, postgres }: Ports): Scenario[] => [
  {
    name: 'rotation-of-a-user',
    title: 'the login of a user is replaced twice, and each old one is closed',
    given: [
      rds('shop', {
        port: `${mysql}`,
        databases: ['goods'],
        users: [{ name: 'app', grants: [{ database: 'goods', privileges: ['ALL'] }], rotateEvery: '2h' }],
        rotationGrace: '1h',
        deletionPolicy: 'Delete',
      }),
    ],
    steps: [
      { do: 'waitRds', name: 'shop', until: READY },
      until('shop', 'app@% #0 Idle'),
      ...turn('shop', APP, 'app@%', 1),
      ...turn('shop', APP, 'app@%', 2),
      { do: 'delete', kind: 'Rds', name: 'shop' },
      { do: 'waitGone', kind: 'Rds', name: 'shop' },
    ],
    alike: JOBS,
    cloud: { shop: { created: 1, now: 0, restarts: 0 } },
  },
  {
    name: 'rotation-of-root',
    title: 'the administrator in the connection Secret is replaced twice, and each old one is closed',
    given: [
      rds('store', {
        datastoretype: 'PostgreSQL',
        datastoreversion: '15',
        flavorref: 'rds.pg.n1.large.2',
        port: `${postgres}`,
        databases: ['goods'],
        rootRotateEvery: '2h',
        rotationGrace: '1h',
        deletionPolicy: 'Delete',
      }),
    ],
    steps: [
      { do: 'waitRds', name: 'store', until: READY },
      until('store', '(root) #0 Idle'),
      ...turn('store', CONNECTION, '(root)', 1),
      ...turn('store', CONNECTION, '(root)', 2),
      { do: 'delete', kind: 'Rds', name: 'store' },
      { do: 'waitGone', kind: 'Rds', name: 'store' },
    ],
    alike: JOBS,
    cloud: { store: { created: 1, now: 0, restarts: 0 } },
  },
];
