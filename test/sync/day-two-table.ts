// Every change that a user can make to a running database, as data: what is told before, which calls it takes and
// what the cloud did. docs/changes.md is checked against the same table.

import type { RdsSpec } from '../../src/rds/spec.ts';

export type ChangeRow = {
  name: string;
  engines: readonly ('MySQL' | 'PostgreSQL' | 'SQLServer')[];
  /** On top of the engine's own base. */
  before?: RdsSpec;
  after: RdsSpec;
  /** Field and impact as status.plan told them. */
  told: readonly string[];
  /** Calls that write, in order. */
  calls: readonly string[];
  /** Restarts that the operator ordered. */
  restarts: number;
  /** How long it may take; 45 by default. */
  minutes?: number;
  /** What status or the instance shows in the end. */
  ends: Record<string, unknown>;
};

const ALL = ['MySQL', 'PostgreSQL', 'SQLServer'] as const;
const SQL = ['MySQL', 'PostgreSQL'] as const;

const CODE = { MySQL: 'mysql', PostgreSQL: 'pg', SQLServer: 'mssql' } as const;

const flavor = (engine: keyof typeof CODE, size: string): string => `rds.${CODE[engine]}.${size}`;

export const BASES: Record<keyof typeof CODE, RdsSpec> = {
  MySQL: {
    datastoretype: 'MySQL',
    datastoreversion: '8.0',
    flavorref: flavor('MySQL', 'n1.large.2'),
    volumesize: 40,
  },
  PostgreSQL: {
    datastoretype: 'PostgreSQL',
    datastoreversion: '16',
    flavorref: flavor('PostgreSQL', 'n1.large.2'),
    volumesize: 40,
    port: '5432',
  },
  SQLServer: {
    datastoretype: 'SQLServer',
    datastoreversion: '2022_SE',
    flavorref: flavor('SQLServer', 'n1.large.2'),
    volumesize: 40,
    port: '1433',
  },
};

/** `{engine}` stands for the short name in flavors. */
export const ROWS: readonly ChangeRow[] = [
  {
    name: 'larger disk',
    engines: ALL,
    after: { volumesize: 80 },
    told: ['spec.volumesize none'],
    calls: ['POST /action enlarge_volume'],
    restarts: 0,
    ends: { volumeGb: 80 },
  },
  {
    name: 'other machine',
    engines: ALL,
    after: { flavorref: 'rds.{engine}.n1.xlarge.2' },
    told: ['spec.flavorref restart'],
    calls: ['POST /action resize_flavor'],
    restarts: 0,
    ends: { flavor: 'rds.{engine}.n1.xlarge.2' },
  },
  {
    name: 'single to HA',
    engines: ALL,
    after: { hamode: 'Ha', flavorref: 'rds.{engine}.n1.large.2.ha', availabilityzone: 'eu-de-01,eu-de-02' },
    told: ['spec.hamode none'],
    calls: ['POST /action single_to_ha'],
    restarts: 0,
    ends: { type: 'Ha', flavor: 'rds.{engine}.n1.large.2.ha' },
  },
  {
    name: 'single to HA on a larger machine',
    engines: SQL,
    after: { hamode: 'Ha', flavorref: 'rds.{engine}.n1.xlarge.2.ha', availabilityzone: 'eu-de-01,eu-de-02' },
    told: ['spec.flavorref restart', 'spec.hamode none'],
    calls: ['POST /action resize_flavor', 'POST /action single_to_ha'],
    restarts: 0,
    ends: { type: 'Ha', flavor: 'rds.{engine}.n1.xlarge.2.ha' },
  },
  {
    name: 'replication mode',
    engines: ['MySQL'],
    before: { hamode: 'Ha', flavorref: 'rds.{engine}.n1.large.2.ha', availabilityzone: 'eu-de-01,eu-de-02' },
    after: {
      hamode: 'Ha',
      flavorref: 'rds.{engine}.n1.large.2.ha',
      availabilityzone: 'eu-de-01,eu-de-02',
      hareplicationmode: 'semisync',
    },
    told: ['spec.hareplicationmode none'],
    calls: ['PUT /failover/mode'],
    restarts: 0,
    ends: { replicationMode: 'semisync' },
  },
  {
    name: 'replication mode',
    engines: ['PostgreSQL'],
    before: { hamode: 'Ha', flavorref: 'rds.{engine}.n1.large.2.ha', availabilityzone: 'eu-de-01,eu-de-02' },
    after: {
      hamode: 'Ha',
      flavorref: 'rds.{engine}.n1.large.2.ha',
      availabilityzone: 'eu-de-01,eu-de-02',
      hareplicationmode: 'sync',
    },
    told: ['spec.hareplicationmode none'],
    calls: ['PUT /failover/mode'],
    restarts: 0,
    ends: { replicationMode: 'sync' },
  },
  {
    name: 'failover strategy',
    engines: ALL,
    before: { hamode: 'Ha', flavorref: 'rds.{engine}.n1.large.2.ha', availabilityzone: 'eu-de-01,eu-de-02' },
    after: {
      hamode: 'Ha',
      flavorref: 'rds.{engine}.n1.large.2.ha',
      availabilityzone: 'eu-de-01,eu-de-02',
      failoverStrategy: 'availability',
    },
    told: ['spec.failoverStrategy none'],
    calls: ['PUT /failover/strategy'],
    restarts: 0,
    ends: { strategy: 'availability' },
  },
  {
    name: 'port',
    engines: ALL,
    after: { port: '4321' },
    told: ['spec.port restart'],
    calls: ['PUT /port'],
    restarts: 0,
    ends: { port: 4321 },
  },
  {
    name: 'security group',
    engines: ALL,
    after: { securitygroup: 'backend' },
    told: ['spec.securitygroup none'],
    calls: ['PUT /security-group'],
    restarts: 0,
    ends: {},
  },
  {
    name: 'backup policy',
    engines: ALL,
    after: { backupkeepdays: 30, backupstarttime: '03:15-04:15' },
    told: ['spec.backupkeepdays none'],
    calls: ['PUT /backups/policy'],
    restarts: 0,
    ends: { backupKeepDays: 30, backupWindow: '03:15-04:15' },
  },
  {
    name: 'backups off',
    engines: ALL,
    after: { backupkeepdays: 0 },
    told: ['spec.backupkeepdays none'],
    calls: ['PUT /backups/policy'],
    restarts: 0,
    ends: { backupKeepDays: 0 },
  },
  {
    name: 'parameter that is taken at once',
    engines: ['MySQL'],
    after: { parameters: { wait_timeout: '600' } },
    told: ['spec.parameters.wait_timeout reload'],
    calls: ['PUT /configurations'],
    restarts: 0,
    ends: { needsRestart: false },
  },
  {
    name: 'parameter that needs a restart, with no window: waits for an order',
    engines: ['PostgreSQL'],
    after: { parameters: { max_connections: '700' } },
    told: ['spec.parameters.max_connections restart', 'restart restart'],
    calls: ['PUT /configurations'],
    restarts: 0,
    ends: { needsRestart: true },
  },
  {
    name: 'parameter that needs a restart, with a window: restarted in it',
    engines: SQL,
    after: {
      parameters: {},
      maintenanceWindow: { start: '10:00', end: '14:00' },
    },
    told: ['spec.parameters.{restarting} restart', 'spec.maintenanceWindow none', 'restart restart'],
    minutes: 180,
    calls: ['PUT /configurations', 'PUT /ops-window', 'POST /action restart'],
    restarts: 1,
    ends: { needsRestart: false },
  },
  {
    name: 'tags',
    engines: ALL,
    before: { tags: { team: 'a', stage: 'test' } },
    after: { tags: { team: 'b' } },
    told: ['spec.tags none'],
    calls: ['POST /tags/action delete', 'POST /tags/action create'],
    restarts: 0,
    ends: {},
  },
  {
    name: 'TLS',
    engines: ['MySQL'],
    after: { ssl: true },
    told: ['spec.ssl reload'],
    calls: ['PUT /ssl'],
    restarts: 0,
    ends: { ssl: true },
  },
  {
    name: 'maintenance window',
    engines: ALL,
    after: { maintenanceWindow: { start: '22:00', end: '02:00', days: ['Sat'] } },
    told: ['spec.maintenanceWindow none'],
    calls: ['PUT /ops-window'],
    restarts: 0,
    ends: { maintenanceWindow: '22:00-02:00' },
  },
  {
    name: 'stop',
    engines: ALL,
    after: { stopped: true },
    told: ['spec.stopped disconnect'],
    calls: ['POST /action/shutdown'],
    restarts: 0,
    ends: { status: 'SHUTDOWN' },
  },
  {
    name: 'start again',
    engines: ALL,
    before: { stopped: true },
    after: { stopped: false },
    told: ['spec.stopped none'],
    calls: ['POST /action/startup'],
    restarts: 0,
    ends: { status: 'ACTIVE' },
  },
  {
    name: 'read replica',
    engines: SQL,
    after: { readReplicas: [{ name: 'reports' }] },
    told: ['spec.readReplicas[reports] none'],
    calls: ['POST /instances'],
    restarts: 0,
    ends: {},
  },
  {
    name: 'read replica grows with its primary, before it',
    minutes: 120,
    engines: SQL,
    before: { readReplicas: [{ name: 'reports' }] },
    after: { readReplicas: [{ name: 'reports' }], volumesize: 60, flavorref: 'rds.{engine}.n1.xlarge.2' },
    told: [
      'spec.readReplicas[reports] none',
      'spec.readReplicas[reports] disconnect',
      'spec.volumesize none',
      'spec.flavorref restart',
    ],
    calls: [
      'POST /action enlarge_volume',
      'POST /action resize_flavor',
      'POST /action enlarge_volume',
      'POST /action resize_flavor',
    ],
    restarts: 0,
    ends: { volumeGb: 60, flavor: 'rds.{engine}.n1.xlarge.2' },
  },
  {
    name: 'read replica removed',
    engines: SQL,
    before: { readReplicas: [{ name: 'reports' }] },
    after: {},
    told: ['spec.readReplicas[reports] disconnect'],
    calls: ['DELETE '],
    restarts: 0,
    ends: {},
  },
  {
    name: 'minor upgrade',
    engines: SQL,
    after: { minorUpgrade: 'Now' },
    told: ['spec.minorUpgrade restart'],
    calls: ['POST /db-upgrade'],
    restarts: 0,
    ends: {},
  },
];

export const RESTARTING = {
  MySQL: ['binlog_format', 'MIXED'],
  PostgreSQL: ['max_connections', '700'],
} as const;
