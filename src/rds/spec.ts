// What a user may write into an Rds. The old operator's fields keep names, types and defaults, so that its
// manifests apply unchanged; new fields are camelCase and optional.

import type { Static } from 'typebox';
import { flag, group, int, listOf, oneOf, optional, text, textMap } from './schema-kit.ts';

export const ENGINES = ['MySQL', 'PostgreSQL', 'SQLServer'] as const;

/** Versions the old operator knew, and every version OTC offers today. */
const VERSIONS =
  '^(5\\.6|5\\.7|8\\.0|9\\.5|9\\.6|1[0-7]|2014[ _]SE|2016[ _][SE]E|2017[ _][SE]E|2019[ _][SE]E|2022[ _][SE]E)$';

const secretKeyRef = (description: string) =>
  group(description, {
    name: text('Name of a Secret in the namespace of the Rds.', { minLength: 1, maxLength: 253 }),
    key: text('Key in that Secret.', { minLength: 1, maxLength: 253 }),
  });

const hours = (description: string) => text(description, { pattern: '^[1-9][0-9]{0,4}h$', maxLength: 6 });

const user = group('A database user.', {
  name: text('Name of the user.', { minLength: 1, maxLength: 64 }),
  host: optional(
    text('Host pattern the user may connect from, as in `10.9.3.%` (MySQL).', { maxLength: 255 }),
  ),
  password: optional(text('Password in clear text. Prefer passwordSecretRef.', { maxLength: 128 })),
  passwordSecretRef: optional(secretKeyRef('Where the password of this user is kept.')),
  privileges: optional(
    listOf(text('A GRANT statement for this user (MySQL).', { maxLength: 1024 }), {
      description: "Old style rights: statements such as GRANT ALL ON project1.* TO 'app1'@'%'.",
      maxItems: 64,
    }),
  ),
  grants: optional(
    listOf(
      group('Rights on one database.', {
        database: text('Name of the database.', { minLength: 1, maxLength: 64 }),
        privileges: listOf(text('A privilege such as SELECT or ALL.', { maxLength: 64 }), { maxItems: 32 }),
      }),
      { description: 'Structured rights, kept in sync including revoke.', maxItems: 64 },
    ),
  ),
  rotateEvery: optional(
    hours('How often the login is replaced by another one with the same rights, such as 720h.'),
  ),
});

const autopilot = group('Lets the operator grow and shrink the instance within bounds.', {
  mode: optional(oneOf(['Off', 'Recommend', 'Act'], 'Off, only tell, or act.', { default: 'Off' })),
  storage: optional(
    group('Bounds for the disk.', {
      thresholdPercent: optional(int('Grow above this use.', { minimum: 50, maximum: 97 })),
      stepGb: optional(int('Grow by this much.', { minimum: 10, maximum: 1000, multipleOf: 10 })),
      maxGb: optional(int('Never grow above.', { minimum: 40, maximum: 4000, multipleOf: 10 })),
    }),
  ),
  compute: optional(
    group('Bounds for the machine.', {
      thresholdPercent: optional(int('Grow above this load.', { minimum: 30, maximum: 99 })),
      maxFlavor: optional(text('Never larger than this flavor.', { maxLength: 64 })),
      minFlavor: optional(text('Never smaller than this flavor.', { maxLength: 64 })),
      scaleDown: optional(
        group('When to take a smaller machine again.', {
          belowPercent: int('Load below which the machine is too large.', { minimum: 1, maximum: 60 }),
          forMinutes: int('For how long.', { minimum: 30, maximum: 43200 }),
        }),
      ),
    }),
  ),
  cooldownMinutes: optional(int('Rest between two decisions.', { minimum: 5, maximum: 10080 })),
  heal: optional(flag('Restart or fail over an instance that is stuck or failed.')),
});

const restoreFrom = group('Make the new instance from a backup or a point in time.', {
  backup: optional(text('Name of an RdsBackup in this namespace.', { maxLength: 253 })),
  backupId: optional(text('Id of a backup in the cloud.', { maxLength: 64 })),
  instanceId: optional(text('Id of the source instance, also when it is gone.', { maxLength: 64 })),
  rds: optional(text('Name of the source Rds in this namespace.', { maxLength: 253 })),
  pointInTime: optional(text('RFC 3339 time with offset.', { maxLength: 40 })),
});

const CLOCK_TIME = '^([01][0-9]|2[0-3]):[0-5][0-9]$';

const maintenanceWindow = group('When disruptive changes may run, in UTC; exactly four hours.', {
  start: text('Start, as in 22:00.', { pattern: CLOCK_TIME, maxLength: 5 }),
  end: text('End, as in 02:00.', { pattern: CLOCK_TIME, maxLength: 5 }),
  days: optional(
    listOf(oneOf(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'], 'A day of the week.'), {
      description: 'Days on which the window opens; all when absent.',
      maxItems: 7,
    }),
  ),
});

const drill = group('A restore rehearsal on a throwaway instance.', {
  schedule: text('Cron expression, UTC: minute, hour, day, month, weekday, as in 0 3 * * 0.', {
    maxLength: 64,
  }),
  flavor: optional(
    text('Flavor of the throwaway instance, a single one; that of the primary when absent.', {
      maxLength: 64,
    }),
  ),
  source: optional(
    oneOf(
      ['Backup', 'PointInTime'],
      'The newest complete backup (default), or the newest restorable moment.',
    ),
  ),
  database: optional(
    text('Database that the checks run in; the first of spec.databases when absent.', {
      minLength: 1,
      maxLength: 64,
    }),
  ),
  checks: optional(
    listOf(
      text('A query. It passes when its first row begins with anything but 0, false, nothing or NULL.', {
        minLength: 1,
        maxLength: 1024,
      }),
      { description: 'Queries on the restored data, read-only (MySQL, PostgreSQL).', maxItems: 16 },
    ),
  ),
});

export const RdsSpecSchema = group('The wanted database server.', {
  availabilityzone: optional(
    text('Availability zone; for HA two, separated by a comma.', {
      default: 'eu-de-01',
      pattern: '^[a-z0-9-]+(,[a-z0-9-]+)?$',
      maxLength: 64,
    }),
  ),
  backuprestoretime: optional(
    text('Restore in place to this RFC 3339 time, once per value.', { maxLength: 40 }),
  ),
  backupstarttime: optional(
    text('Window of the daily backup, UTC: one hour, on a quarter, as in 01:00-02:00.', {
      default: '01:00-02:00',
      maxLength: 11,
    }),
  ),
  backupkeepdays: optional(
    int('Days that automated backups are kept; 0 switches them off.', {
      default: 12,
      minimum: 0,
      maximum: 732,
    }),
  ),
  databases: optional(
    listOf(text('Name of a database.', { maxLength: 64 }), {
      description: 'Databases to create.',
      maxItems: 256,
    }),
  ),
  datastoretype: optional(oneOf(ENGINES, 'Database engine.', { default: 'MySQL' })),
  datastoreversion: optional(
    text('Version of the engine.', { default: '8.0', pattern: VERSIONS, maxLength: 16 }),
  ),
  endpoint: optional(
    text(
      'Public https address of the alarm receiver. Alone it switches the autopilot to Act, as it always did.',
      {
        maxLength: 1024,
      },
    ),
  ),
  flavorref: optional(
    text('Machine type. HA flavors end in .ha.', {
      default: 'rds.mysql.c2.medium',
      minLength: 1,
      maxLength: 64,
    }),
  ),
  hamode: optional(oneOf(['Ha'], 'Ha for a primary with a standby; absent for a single instance.')),
  hareplicationmode: optional(oneOf(['sync', 'async', 'semisync'], 'How the standby follows.')),
  port: optional(
    text('Port of the database.', { default: '3306', pattern: '^[1-9][0-9]{3,4}$', maxLength: 5 }),
  ),
  password: optional(
    text('Root password in clear text. Prefer passwordSecretRef, or neither: then one is generated.', {
      minLength: 8,
      maxLength: 32,
    }),
  ),
  region: optional(text('Region of the cloud.', { default: 'eu-de', maxLength: 32 })),
  subnet: optional(text('Name or id of the subnet.', { default: 'default', maxLength: 64 })),
  securitygroup: optional(text('Name or id of the security group.', { default: 'default', maxLength: 64 })),
  users: optional(listOf(user, { description: 'Database users.', maxItems: 256 })),
  volumetype: optional(
    oneOf(['COMMON', 'ULTRAHIGH', 'CLOUDSSD', 'ESSD'], 'Kind of disk.', { default: 'COMMON' }),
  ),
  volumesize: optional(
    int('Size of the disk in GB.', { default: 40, minimum: 40, maximum: 4000, multipleOf: 10 }),
  ),
  vpc: optional(text('Name or id of the VPC.', { default: 'default', maxLength: 64 })),

  passwordSecretRef: optional(secretKeyRef('Where the root password is kept.')),
  deletionPolicy: optional(
    oneOf(['Snapshot', 'Delete', 'Retain'], 'What happens to the database when the Rds is deleted.', {
      default: 'Snapshot',
    }),
  ),
  restoreFrom: optional(restoreFrom),
  autopilot: optional(autopilot),
  maintenanceWindow: optional(maintenanceWindow),
  parameters: optional(textMap('Engine parameters.', 128)),
  tags: optional(textMap('Tags of the instance.', 19)),
  ssl: optional(flag('Offer TLS to clients (MySQL).')),
  stopped: optional(flag('Stop the instance; the cloud starts it again after seven days.')),
  readReplicas: optional(
    listOf(
      group('A read replica.', {
        name: text('Name, unique within the Rds.', { minLength: 1, maxLength: 32 }),
        flavorref: optional(text('Machine type; ends in .rr.', { maxLength: 64 })),
        availabilityzone: optional(text('Availability zone.', { maxLength: 32 })),
      }),
      {
        description: 'Read replicas of the instance.',
        maxItems: 5,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    ),
  ),
  failoverStrategy: optional(oneOf(['reliability', 'availability'], 'What counts more when a node fails.')),
  minorUpgrade: optional(oneOf(['Off', 'InWindow', 'Now'], 'When minor versions of the engine are taken.')),
  credentialsSecretRef: optional(
    group('Credentials of the tenant (keys named like the OS_* variables).', {
      name: text('Name of a Secret in the namespace of the Rds.', { minLength: 1, maxLength: 253 }),
    }),
  ),
  paused: optional(flag('Stop acting on this Rds; its state is still reported.')),
  backup: optional(group('More about backups.', { drill: optional(drill) })),
  recheckDatabases: optional(
    text(
      'How often databases, users and rights are looked at again and put right, such as 24h; never when absent.',
      {
        pattern: '^[1-9][0-9]{0,3}h$',
        maxLength: 5,
      },
    ),
  ),
  rootRotateEvery: optional(
    hours('How often the login in the connection Secret is replaced by another one with the rights of root.'),
  ),
  rotationGrace: optional(
    hours('How long a login works on after another one took its place; 24h when absent.'),
  ),
  removal: optional(oneOf(['Keep', 'Drop'], 'What happens to databases and users taken out of the spec.')),
});

export type RdsSpec = Static<typeof RdsSpecSchema>;
export type EngineName = (typeof ENGINES)[number];
