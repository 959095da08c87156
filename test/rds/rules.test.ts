import fc from 'fast-check';
import t from 'tap';
import { type FullSpec, fullSpec } from '../../src/rds/defaults.ts';
import { CHANGE_RULES, NAME_PATTERN, NAME_RULE, SPEC_RULES } from '../../src/rds/rules.ts';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { specProblems } from '../../src/rds/validate.ts';

type Row = { given: RdsSpec; want: boolean; because: string };

const HA = {
  hamode: 'Ha',
  flavorref: 'rds.mysql.n1.large.2.ha',
  availabilityzone: 'eu-de-01,eu-de-02',
} as const;
const postgres = { datastoretype: 'PostgreSQL', datastoreversion: '16' } as const;
const sqlServer = { datastoretype: 'SQLServer', datastoreversion: '2022_SE' } as const;

const drilled = (drill: Partial<NonNullable<NonNullable<RdsSpec['backup']>['drill']>>): RdsSpec => ({
  backup: { drill: { schedule: '0 3 * * 0', ...drill } },
});

const SPEC_TABLE: Record<string, Row[]> = {
  'spec.port': [
    { given: {}, want: true, because: 'the default is fine for MySQL' },
    { given: { port: '1024' }, want: true, because: 'the lowest of MySQL' },
    { given: { port: '1023' }, want: false, because: 'below' },
    { given: { port: '65535' }, want: true, because: 'the highest of MySQL' },
    { given: { port: '65536' }, want: false, because: 'above' },
    { given: { port: '12017' }, want: false, because: 'kept by the cloud' },
    { given: { port: '33071' }, want: false, because: 'kept by the cloud' },
    { given: { ...postgres }, want: true, because: '3306 is a port that PostgreSQL may have' },
    { given: { ...postgres, port: '2100' }, want: true, because: 'the lowest of PostgreSQL' },
    { given: { ...postgres, port: '2099' }, want: false, because: 'below' },
    { given: { ...postgres, port: '9500' }, want: true, because: 'the highest of PostgreSQL' },
    { given: { ...postgres, port: '9501' }, want: false, because: 'above' },
    { given: { ...sqlServer, port: '1433' }, want: true, because: 'the usual one of SQL Server' },
    { given: { ...sqlServer, port: '1434' }, want: false, because: 'below 2100 only 1433' },
    { given: { ...sqlServer, port: '2100' }, want: true, because: 'the lowest of the range' },
    { given: { ...sqlServer, port: '9500' }, want: true, because: 'the highest of the range' },
    { given: { ...sqlServer, port: '9501' }, want: false, because: 'above' },
    { given: { ...sqlServer, port: '5355' }, want: false, because: 'kept by the cloud' },
    { given: { ...sqlServer, port: '5985' }, want: false, because: 'kept by the cloud' },
  ],
  'spec.password': [
    { given: {}, want: true, because: 'neither: one is generated' },
    { given: { password: 'Secret-1234' }, want: true, because: 'the old way' },
    { given: { passwordSecretRef: { name: 's', key: 'k' } }, want: true, because: 'the new way' },
    {
      given: { password: 'Secret-1234', passwordSecretRef: { name: 's', key: 'k' } },
      want: false,
      because: 'which of the two?',
    },
  ],
  'spec.flavorref': [
    { given: { flavorref: 'rds.mysql.c2.medium' }, want: true, because: 'single' },
    { given: { flavorref: 'rds.mysql.c2.medium.ha' }, want: false, because: 'an HA flavor without hamode' },
    { given: { ...HA }, want: true, because: 'HA' },
    {
      given: { ...HA, flavorref: 'rds.mysql.c2.medium' },
      want: false,
      because: 'hamode without an HA flavor',
    },
    { given: { flavorref: 'rds.ha.medium' }, want: true, because: 'only the end counts' },
  ],
  'spec.availabilityzone': [
    { given: { availabilityzone: 'eu-de-02' }, want: true, because: 'one zone for a single instance' },
    { given: { availabilityzone: 'eu-de-01,eu-de-02' }, want: false, because: 'two for a single instance' },
    { given: { ...HA }, want: true, because: 'two for HA' },
    { given: { ...HA, availabilityzone: 'eu-de-01,eu-de-01' }, want: true, because: 'the same one twice' },
    { given: { ...HA, availabilityzone: 'eu-de-01' }, want: false, because: 'one for HA' },
    {
      given: { ...HA, availabilityzone: 'eu-de-01,eu-de-02,eu-de-03' },
      want: false,
      because: 'three for HA',
    },
  ],
  'spec.hareplicationmode': [
    { given: {}, want: true, because: 'absent' },
    { given: { ...HA, hareplicationmode: 'async' }, want: true, because: 'MySQL' },
    { given: { ...HA, hareplicationmode: 'semisync' }, want: true, because: 'MySQL' },
    { given: { ...HA, hareplicationmode: 'sync' }, want: false, because: 'MySQL has none' },
    { given: { ...HA, ...postgres, hareplicationmode: 'sync' }, want: true, because: 'PostgreSQL' },
    { given: { ...HA, ...postgres, hareplicationmode: 'async' }, want: true, because: 'PostgreSQL' },
    {
      given: { ...HA, ...postgres, hareplicationmode: 'semisync' },
      want: false,
      because: 'PostgreSQL has none',
    },
    { given: { ...HA, ...sqlServer, hareplicationmode: 'sync' }, want: true, because: 'SQL Server' },
    {
      given: { ...HA, ...sqlServer, hareplicationmode: 'async' },
      want: false,
      because: 'SQL Server has none',
    },
    {
      given: { ...HA, ...sqlServer, hareplicationmode: 'semisync' },
      want: false,
      because: 'SQL Server has none',
    },
  ],
  'spec.backupstarttime': [
    { given: { backupstarttime: '01:00-02:00' }, want: true, because: 'the default' },
    { given: { backupstarttime: '23:45-00:45' }, want: true, because: 'over midnight' },
    { given: { backupstarttime: '22:15-23:15' }, want: true, because: 'on a quarter' },
    { given: { backupstarttime: '01:00-03:00' }, want: false, because: 'two hours' },
    { given: { backupstarttime: '01:00-01:00' }, want: false, because: 'no time at all' },
    { given: { backupstarttime: '02:00-01:00' }, want: false, because: 'backwards' },
    { given: { backupstarttime: '01:10-02:10' }, want: false, because: 'not on a quarter' },
    { given: { backupstarttime: '24:00-01:00' }, want: false, because: 'there is no 24:00' },
    { given: { backupstarttime: '23:00-24:00' }, want: false, because: 'there is no 24:00' },
    { given: { backupstarttime: '1:00-2:00' }, want: false, because: 'two digits' },
    { given: { backupstarttime: '' }, want: false, because: 'nothing' },
    { given: { backupstarttime: 'midnight' }, want: false, because: 'words' },
  ],
  'spec.maintenanceWindow': [
    { given: {}, want: true, because: 'absent' },
    { given: { maintenanceWindow: { start: '02:00', end: '06:00' } }, want: true, because: 'four hours' },
    { given: { maintenanceWindow: { start: '22:30', end: '02:30' } }, want: true, because: 'over midnight' },
    { given: { maintenanceWindow: { start: '02:00', end: '05:00' } }, want: false, because: 'three hours' },
    {
      given: { maintenanceWindow: { start: '02:00', end: '02:00' } },
      want: false,
      because: 'no time at all',
    },
    { given: { maintenanceWindow: { start: '06:00', end: '02:00' } }, want: false, because: 'twenty hours' },
  ],
  'spec.users': [
    { given: {}, want: true, because: 'absent' },
    {
      given: {
        users: [
          { name: 'a', rotateEvery: '48h' },
          { name: 'b', password: 'x' },
        ],
      },
      want: true,
      because: 'another',
    },
    {
      given: { users: [{ name: 'a', rotateEvery: '48h', password: 'x' }] },
      want: false,
      because: 'given and drawn',
    },
    {
      given: { users: [{ name: 'a', rotateEvery: '48h', passwordSecretRef: { name: 's', key: 'k' } }] },
      want: false,
      because: 'given by a Secret',
    },
  ],
  'spec.rootRotateEvery': [
    { given: { rootRotateEvery: '48h' }, want: true, because: 'generated' },
    { given: { password: 'First-pass1' }, want: true, because: 'not rotated' },
    { given: { rootRotateEvery: '48h', password: 'First-pass1' }, want: false, because: 'given' },
    {
      given: { rootRotateEvery: '48h', passwordSecretRef: { name: 's', key: 'k' } },
      want: false,
      because: 'given by a Secret',
    },
    {
      given: { rootRotateEvery: '48h', datastoretype: 'SQLServer' },
      want: false,
      because: 'no Job works on this engine',
    },
  ],
  'spec.rotationGrace': [
    { given: {}, want: true, because: 'absent' },
    { given: { users: [{ name: 'a', rotateEvery: '25h' }] }, want: true, because: 'longer than a day' },
    { given: { users: [{ name: 'a', rotateEvery: '24h' }] }, want: false, because: 'a day by default' },
    {
      given: { users: [{ name: 'a', rotateEvery: '12h' }], rotationGrace: '6h' },
      want: true,
      because: 'shorter',
    },
    {
      given: { users: [{ name: 'a', rotateEvery: '12h' }], rotationGrace: '12h' },
      want: false,
      because: 'as long',
    },
    {
      given: { rootRotateEvery: '48h', rotationGrace: '100h' },
      want: false,
      because: 'longer than for root',
    },
  ],
  'spec.restoreFrom': [
    { given: {}, want: true, because: 'absent' },
    { given: { restoreFrom: { backup: 'b' } }, want: true, because: 'an RdsBackup' },
    { given: { restoreFrom: { backupId: 'b', instanceId: 'i' } }, want: true, because: 'a backup by id' },
    { given: { restoreFrom: { pointInTime: 'p', rds: 'shop' } }, want: true, because: 'a time of an Rds' },
    { given: { restoreFrom: { pointInTime: 'p', instanceId: 'i' } }, want: true, because: 'a time of an id' },
    { given: { restoreFrom: {} }, want: false, because: 'nothing' },
    { given: { restoreFrom: { backupId: 'b' } }, want: false, because: 'the cloud needs the source as well' },
    { given: { restoreFrom: { instanceId: 'i' } }, want: false, because: 'a source without a time' },
    { given: { restoreFrom: { rds: 'shop' } }, want: false, because: 'a source without a time' },
    { given: { restoreFrom: { pointInTime: 'p' } }, want: false, because: 'a time of what?' },
    {
      given: { restoreFrom: { pointInTime: 'p', rds: 'shop', instanceId: 'i' } },
      want: false,
      because: 'two sources',
    },
    {
      given: { restoreFrom: { backup: 'b', instanceId: 'i' } },
      want: false,
      because: 'an RdsBackup has its own',
    },
    { given: { restoreFrom: { backup: 'b', backupId: 'b' } }, want: false, because: 'two backups' },
    { given: { restoreFrom: { backup: 'b', pointInTime: 'p' } }, want: false, because: 'backup or time' },
    {
      given: { restoreFrom: { backupId: 'b', instanceId: 'i', rds: 'shop' } },
      want: false,
      because: 'two sources',
    },
  ],
  'spec.backup.drill.schedule': [
    { given: {}, want: true, because: 'no drill is asked for' },
    { given: { backup: {} }, want: true, because: 'nor here' },
    { given: drilled({ schedule: '0 3 * * 0' }), want: true, because: 'once a week' },
    { given: drilled({ schedule: '*/15 0-6,22 1,15 * 1-5' }), want: true, because: 'all that there is' },
    { given: drilled({ schedule: '0 3 30 2 *' }), want: true, because: 'told later: that day never comes' },
    { given: drilled({ schedule: '' }), want: false, because: 'nothing' },
    { given: drilled({ schedule: '@weekly' }), want: false, because: 'a shorthand' },
    { given: drilled({ schedule: '0 3 * *' }), want: false, because: 'four fields' },
    { given: drilled({ schedule: '0 3 * * * *' }), want: false, because: 'six fields' },
    { given: drilled({ schedule: '60 3 * * *' }), want: false, because: 'there is no minute 60' },
    { given: drilled({ schedule: '0 3 * * SUN' }), want: false, because: 'a name' },
  ],
  'spec.backup.drill.flavor': [
    { given: drilled({}), want: true, because: 'that of the primary' },
    { given: drilled({ flavor: 'rds.mysql.c2.medium' }), want: true, because: 'of a single instance' },
    { given: drilled({ flavor: 'rds.mysql.n1.large.2.ha' }), want: false, because: 'of a pair' },
    { given: drilled({ flavor: 'rds.mysql.n1.large.2.rr' }), want: false, because: 'of a read replica' },
  ],
};

for (const rule of SPEC_RULES) {
  t.test(`${rule.field} is judged on both sides of its rule`, async (t) => {
    const rows = SPEC_TABLE[rule.field] ?? [];
    t.ok(rows.some(({ want }) => want) && rows.some(({ want }) => !want), 'the table has examples of both');
    for (const { given, want, because } of rows) {
      t.equal(rule.holds(fullSpec(given)), want, `${JSON.stringify(given)}: ${because}`);
      const named = specProblems(given).filter(({ field }) => field === rule.field);
      t.equal(named.length, want ? 0 : 1, `the field is ${want ? 'not ' : ''}named: ${because}`);
    }
  });
}

t.test('every rule has a table, and its message tells what to do', async (t) => {
  t.same(Object.keys(SPEC_TABLE).sort(), SPEC_RULES.map(({ field }) => field).sort());
  for (const { field, message, cel } of [...SPEC_RULES, ...CHANGE_RULES]) {
    t.match(field, /^spec(\.[a-zA-Z]+)+$/);
    t.ok(message.length > 30 && !message.endsWith('.'), `${field}: ${message}`);
    t.ok(cel.includes(field.replace('spec.', 'self.')), `the CEL of ${field} speaks of it`);
  }
});

type Change = { from: RdsSpec; to: RdsSpec; want: boolean; because: string };

const CHANGE_TABLE: Record<string, Change[]> = {
  'spec.volumesize': [
    { from: { volumesize: 100 }, to: { volumesize: 100 }, want: true, because: 'the same' },
    { from: { volumesize: 100 }, to: { volumesize: 110 }, want: true, because: 'disks grow' },
    { from: { volumesize: 100 }, to: { volumesize: 90 }, want: false, because: 'and never shrink' },
    { from: { volumesize: 100 }, to: {}, want: false, because: 'leaving it out means the default of 40' },
    { from: {}, to: { volumesize: 40 }, want: true, because: 'the default, spelled out' },
  ],
  'spec.datastoretype': [
    { from: {}, to: { datastoretype: 'MySQL' }, want: true, because: 'the default, spelled out' },
    { from: {}, to: { ...postgres }, want: false, because: 'another engine is another server' },
  ],
  'spec.vpc': [
    { from: { vpc: 'a' }, to: { vpc: 'a' }, want: true, because: 'the same' },
    { from: { vpc: 'a' }, to: { vpc: 'b' }, want: false, because: 'another network' },
    { from: { vpc: 'a' }, to: {}, want: false, because: 'leaving it out means default' },
  ],
  'spec.subnet': [
    { from: { subnet: 'a' }, to: { subnet: 'a' }, want: true, because: 'the same' },
    { from: { subnet: 'a' }, to: { subnet: 'b' }, want: false, because: 'another network' },
    { from: {}, to: { subnet: 'b' }, want: false, because: 'another one than the default' },
  ],
  'spec.restoreFrom': [
    { from: {}, to: {}, want: true, because: 'absent' },
    {
      from: { restoreFrom: { backup: 'b' } },
      to: { restoreFrom: { backup: 'b' } },
      want: true,
      because: 'the same',
    },
    {
      from: { restoreFrom: { backup: 'b' } },
      to: { restoreFrom: { backup: 'c' } },
      want: false,
      because: 'changed',
    },
    { from: {}, to: { restoreFrom: { backup: 'b' } }, want: false, because: 'added to an existing instance' },
    { from: { restoreFrom: { backup: 'b' } }, to: {}, want: false, because: 'removed' },
  ],
  'spec.hamode': [
    { from: {}, to: {}, want: true, because: 'single stays single' },
    { from: {}, to: { ...HA }, want: true, because: 'single becomes HA' },
    { from: { ...HA }, to: { ...HA }, want: true, because: 'HA stays HA' },
    { from: { ...HA }, to: {}, want: false, because: 'HA never becomes single' },
  ],
};

for (const rule of CHANGE_RULES) {
  t.test(`${rule.field} may change as the cloud allows and no further`, async (t) => {
    for (const { from, to, want, because } of CHANGE_TABLE[rule.field] ?? [])
      t.equal(rule.holds(fullSpec(to), fullSpec(from)), want, because);
  });
}

t.test('every rule about changes has a table', async (t) => {
  t.same(Object.keys(CHANGE_TABLE).sort(), CHANGE_RULES.map(({ field }) => field).sort());
});

t.test('restoreFrom with its keys in another order is the same restoreFrom', async (t) => {
  const rule = CHANGE_RULES.find(({ field }) => field === 'spec.restoreFrom');
  const from: FullSpec = fullSpec({ restoreFrom: { backupId: 'b', instanceId: 'i' } });
  const to: FullSpec = fullSpec({ restoreFrom: { instanceId: 'i', backupId: 'b' } });
  t.ok(rule?.holds(to, from));
});

t.test('a port is written without leading zeros, so that CEL and hook read the same', async (t) => {
  for (const port of ['05355', '01433', '03306']) t.not(specProblems({ ...sqlServer, port }).length, 0, port);
});

t.test('an HA instance names two zones, not one and a comma', async (t) => {
  t.not(specProblems({ ...HA, availabilityzone: 'eu-de-01,' }).length, 0);
});

t.test('the rules never throw, whatever the schema lets in', async () => {
  const clock = fc.stringMatching(/^([01][0-9]|2[0-3]):[0-5][0-9]$/);
  const specs = fc.record(
    {
      port: fc.stringMatching(/^[0-9]{4,5}$/),
      datastoretype: fc.constantFrom('MySQL' as const, 'PostgreSQL' as const, 'SQLServer' as const),
      backupstarttime: fc.string({ maxLength: 11 }),
      availabilityzone: fc.string({ maxLength: 64 }),
      flavorref: fc.string({ minLength: 1, maxLength: 64 }),
      hamode: fc.constant('Ha' as const),
      maintenanceWindow: fc.record({ start: clock, end: clock }),
      restoreFrom: fc.record({ backup: fc.string(), backupId: fc.string() }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
  fc.assert(fc.property(specs, (spec) => specProblems(spec).every(({ field }) => field.startsWith('spec'))));
});

t.test('a window of any start is accepted with its end four hours later and with no other', async () => {
  const text = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  fc.assert(
    fc.property(fc.nat(1439), fc.nat(1439), (start, length) => {
      const maintenanceWindow = { start: text(start), end: text((start + length) % 1440) };
      return (specProblems({ maintenanceWindow }).length === 0) === (length === 240);
    }),
  );
});

t.test('the name of an Rds is a DNS label of at most 52 characters, judged at creation only', async (t) => {
  t.equal(NAME_RULE.optionalOldSelf, true);
  t.match(NAME_RULE.rule, /^oldSelf\.hasValue\(\) \|\| /, 'stored old objects can still be finalized');
  t.ok(NAME_RULE.rule.includes('<= 52') && NAME_RULE.rule.includes(NAME_PATTERN));
  const table = [
    { given: 'shop', want: true },
    { given: 'a', want: true },
    { given: 'shop-2', want: true },
    { given: '2shop', want: false },
    { given: 'shop-', want: false },
    { given: '-shop', want: false },
    { given: 'shop.eu', want: false },
    { given: 'Shop', want: false },
    { given: '', want: false },
  ];
  for (const { given, want } of table) t.equal(new RegExp(NAME_PATTERN).test(given), want, given);
});
