// Specs on both sides of every rule. Whether they break one is not written here: the API server and the hook
// are asked, and must agree.

type Spec = Record<string, unknown>;

const HA = { hamode: 'Ha', flavorref: 'rds.mysql.n1.large.2.ha', availabilityzone: 'eu-de-01,eu-de-02' };
const PG = { datastoretype: 'PostgreSQL', datastoreversion: '16', flavorref: 'rds.pg.n1.large.4' };
const MS = { datastoretype: 'SQLServer', datastoreversion: '2022_SE', flavorref: 'rds.mssql.spec.se.c2' };

const ports = (base: Spec, values: string[]): Spec[] => values.map((port) => ({ ...base, port }));

/** For the create of an Rds. */
export const SPECS: readonly Spec[] = [
  {},
  ...ports({}, ['1023', '1024', '3306', '12017', '33071', '65535', '65536', '99999']),
  ...ports(PG, ['2099', '2100', '5432', '9500', '9501']),
  ...ports(MS, ['1433', '1434', '2100', '5355', '5985', '9500', '9501']),
  { password: 'Chang3-me' },
  { passwordSecretRef: { name: 'a', key: 'b' } },
  { password: 'Chang3-me', passwordSecretRef: { name: 'a', key: 'b' } },
  ...['24h', '25h', '720h', '99999h'].flatMap((rotateEvery) => [
    { users: [{ name: 'a', rotateEvery }, { name: 'b' }] },
    { users: [{ name: 'a', rotateEvery }], rotationGrace: '48h' },
    { users: [{ name: 'a', rotateEvery, password: 'x' }] },
    { users: [{ name: 'a', rotateEvery, passwordSecretRef: { name: 'a', key: 'b' } }] },
    { rootRotateEvery: rotateEvery },
    { rootRotateEvery: rotateEvery, password: 'Chang3-me' },
    { ...MS, port: '1433', rootRotateEvery: rotateEvery },
  ]),
  HA,
  { ...HA, flavorref: 'rds.mysql.n1.large.2' },
  { flavorref: 'rds.mysql.n1.large.2.ha' },
  { ...HA, availabilityzone: 'eu-de-01' },
  { ...HA, availabilityzone: 'eu-de-01,eu-de-02,eu-de-03' },
  { availabilityzone: 'eu-de-01,eu-de-02' },
  ...['async', 'semisync', 'sync'].flatMap((hareplicationmode) => [
    { ...HA, hareplicationmode },
    { ...PG, port: '5432', hareplicationmode },
    { ...MS, port: '1433', hareplicationmode },
  ]),
  ...[
    '01:00-02:00',
    '23:45-00:45',
    '23:00-00:00',
    '01:00-03:00',
    '02:00-01:00',
    '01:10-02:10',
    '24:00-01:00',
    '1:00-2:00',
    '',
    'nonsense',
  ].map((backupstarttime) => ({ backupstarttime })),
  ...[
    ['22:00', '02:00'],
    ['02:00', '06:00'],
    ['00:00', '04:00'],
    ['22:00', '03:00'],
    ['02:00', '22:00'],
    ['02:00', '02:00'],
  ].map(([start, end]) => ({ maintenanceWindow: { start, end } })),
  ...[
    {},
    { backup: 'a' },
    { backup: 'a', instanceId: 'i' },
    { backup: 'a', backupId: 'b' },
    { backup: 'a', rds: 'r' },
    { backupId: 'b' },
    { backupId: 'b', instanceId: 'i' },
    { backupId: 'b', instanceId: 'i', rds: 'r' },
    { pointInTime: '2026-01-01T00:00:00Z' },
    { pointInTime: '2026-01-01T00:00:00Z', rds: 'r' },
    { pointInTime: '2026-01-01T00:00:00Z', instanceId: 'i' },
    { pointInTime: '2026-01-01T00:00:00Z', instanceId: 'i', rds: 'r' },
    { pointInTime: '2026-01-01T00:00:00Z', backupId: 'b', instanceId: 'i' },
    { rds: 'r' },
    { instanceId: 'i' },
  ].map((restoreFrom) => ({ restoreFrom })),
  ...[
    { schedule: '0 3 * * 0' },
    { schedule: '*/15 0-6,22 1,15 2-12/2 1-5', flavor: 'rds.mysql.c2.medium' },
    { schedule: '0 3 * * 0', flavor: 'rds.mysql.c2.medium.ha' },
    { schedule: '0 3 * * 0', flavor: 'rds.mysql.c2.medium.rr' },
    { schedule: '' },
    { schedule: '@daily' },
    { schedule: '0 3 * *' },
    { schedule: '60 3 * * *' },
    { schedule: '0 24 * * *' },
    { schedule: '0 3 32 * *' },
    { schedule: '0 3 * 13 *' },
    { schedule: '0 3 * * 8' },
    { schedule: '*/0 * * * *' },
    { schedule: '1,,2 * * * *' },
    { schedule: '0 3 * * *\n' },
  ].map((drill) => ({ backup: { drill } })),
];

/** For edits: from, to. */
export const CHANGES: readonly [Spec, Spec][] = [
  [{ volumesize: 60 }, { volumesize: 60 }],
  [{ volumesize: 60 }, { volumesize: 100 }],
  [{ volumesize: 60 }, { volumesize: 40 }],
  [{ volumesize: 60 }, {}],
  [{}, { ...PG, port: '5432' }],
  [{ ...PG, port: '5432' }, {}],
  [{}, { vpc: 'other' }],
  [{ vpc: 'other' }, {}],
  [{ vpc: 'default' }, {}],
  [{}, { subnet: 'other' }],
  [{ subnet: 'other' }, { subnet: 'other' }],
  [{}, { restoreFrom: { backup: 'a' } }],
  [{ restoreFrom: { backup: 'a' } }, {}],
  [{ restoreFrom: { backup: 'a' } }, { restoreFrom: { backup: 'b' } }],
  [{ restoreFrom: { backup: 'a' } }, { restoreFrom: { backup: 'a' }, volumesize: 60 }],
  [{}, HA],
  [HA, HA],
  [HA, {}],
  [{ flavorref: 'rds.mysql.n1.large.2' }, { flavorref: 'rds.mysql.n1.xlarge.2' }],
  [{}, { port: '8080' }],
  [{}, { port: '33071' }],
];

export const GOOD_NAMES = ['a', 'shop', 'shop-2', `a${'b'.repeat(51)}`];
export const BAD_NAMES = ['1shop', 'my.shop', `a${'b'.repeat(52)}`];

/** What only the schema forbids, so that it can be stored under the old CRD alone. */
export const OFF_SCHEMA: readonly Spec[] = [
  { volumesize: 41 },
  { volumesize: 20 },
  { datastoreversion: '4.1' },
  { datastoretype: 'Oracle' },
  { port: '80' },
  { backupkeepdays: 9999 },
  { password: 'short' },
  { hamode: 'Single' },
  { volumetype: 'TAPE' },
  { flavorref: '' },
  { users: [{ host: '%' }] },
];
