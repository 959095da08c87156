// Every call of the cloud that the code under test can make, one row each: where it goes, what can go wrong with it,
// and for a write under a claim which operation it carries out. A new call of src/otc needs one row here, and one line
// in scenarios.ts that makes it happen; an unknown call stops the schedule.

import type { OtcRequest } from '../../src/otc/send.ts';
import type { FullSpec } from '../../src/rds/defaults.ts';
import type { OpKind } from '../../src/rds/journal.ts';

const TRANSPORT = [
  'timeout-before',
  'timeout-after',
  'connection',
  '500-before',
  '503',
  '401',
  '403',
  '404',
  '429',
  '429-no-header',
  'slow',
  'pause',
  'truncated',
  'empty',
  'echo',
  'kill-before',
  'kill-after',
] as const;

const READ = TRANSPORT;
/** Lists that may lie by leaving rows out. */
const LIST = [...READ, 'missing-page', 'empty-list'] as const;
const WRITE = [...TRANSPORT, '500-after', 'late', '409'] as const;

type Row<Site extends string = string> = {
  site: Site;
  /** Method and route. */
  call: string;
  /** Found in address or body, where one route serves several calls; the first row that fits counts. */
  says?: RegExp;
  faults: readonly string[];
  isWrite?: boolean;
  /** Sent only under a claim of one of these kinds, because it must not be repeated. */
  ops?: readonly OpKind[];
  /** Whether this body is what the spec says; a write without it is judged elsewhere. */
  fits?: (spec: FullSpec, body: string) => boolean;
};

const read = <S extends string>(
  site: S,
  call: string,
  faults: readonly string[] = READ,
  says?: RegExp,
): Row<S> => ({
  site,
  call,
  faults,
  ...(says ? { says } : {}),
});

const write = <S extends string>(
  site: S,
  call: string,
  ops: readonly OpKind[],
  more: Partial<Pick<Row, 'says' | 'fits' | 'faults'>> = {},
): Row<S> => ({ site, call, ops, faults: WRITE, isWrite: true, ...more });

/** The spec's value of a field, somewhere in the body. */
const holds =
  (text: (spec: FullSpec) => string) =>
  (spec: FullSpec, body: string): boolean =>
    body.includes(text(spec));

function setsOnly(wanted: Record<string, string> | undefined, body: string): boolean {
  const { values } = JSON.parse(body) as { values: Record<string, string> };
  return Object.entries(values).every(([name, value]) => wanted?.[name] === value);
}

const INSTANCES = 'GET /v3/{project}/instances';
const ONE = '/v3/{project}/instances/{id}';
const ACTION = `POST ${ONE}/action`;

const ROWS = [
  read('otc login', 'POST /v3/auth/tokens'),
  read('otc flavors', 'GET /v3/{project}/flavors/{db}', LIST),
  read('otc quotas', 'GET /v3/{project}/quotas'),
  read('otc vpcs', 'GET /v1/{project}/vpcs'),
  read('otc subnets', 'GET /v1/{project}/subnets'),
  read('otc security groups', 'GET /v2.0/security-groups'),
  read('otc find by id', INSTANCES, LIST, /[?&]id=/),
  read('otc find by name', INSTANCES, LIST, /[?&]name=/),
  read('otc list', INSTANCES, LIST),
  read('otc backups', 'GET /v3/{project}/backups', LIST),
  read('otc tasks', 'GET /v3/{project}/tasklist', LIST),
  read('otc tags', `GET ${ONE}/tags`),
  read('otc job', 'GET /v3/{project}/jobs'),
  read('otc restore time', `GET ${ONE}/restore-time`),
  read('otc alarms', 'GET /V1.0/{project}/alarms', LIST),
  read('otc metric data', 'POST /V1.0/{project}/batch-query-metric-data'),
  read('otc subscriptions', 'GET /v2/{project}/notifications/topics/{urn}/subscriptions'),
  write('otc alarm create', 'POST /V1.0/{project}/alarms', []),
  write('otc alarm update', 'PUT /V1.0/{project}/alarms/{id}', []),
  write('otc alarm delete', 'DELETE /V1.0/{project}/alarms/{id}', []),
  write('otc topic create', 'POST /v2/{project}/notifications/topics', []),
  write('otc topic delete', 'DELETE /v2/{project}/notifications/topics/{urn}', []),
  write('otc subscribe', 'POST /v2/{project}/notifications/topics/{urn}/subscriptions', []),
  write('otc unsubscribe', 'DELETE /v2/{project}/notifications/subscriptions/{urn}', []),
  read('otc parameters', `GET ${ONE}/configurations`),
  write('otc replica', 'POST /v3/{project}/instances', ['replica'], {
    says: /"replica_of_id"/,
    fits: ({ readReplicas = [] }) => readReplicas.length > 0,
  }),
  write('otc drill', 'POST /v3/{project}/instances', ['drill'], {
    says: /"name":"drill-/,
    faults: [...WRITE, 'failed-build', 'stuck-build', 'sold-out'],
  }),
  write('otc create', 'POST /v3/{project}/instances', ['create'], {
    faults: [...WRITE, 'failed-build', 'stuck-build', 'sold-out'],
  }),
  write('otc delete', `DELETE ${ONE}`, ['delete', 'removeReplica', 'removeDrill']),
  write('otc backup', 'POST /v3/{project}/backups', ['finalBackup', 'safetyBackup'], {
    says: /"name":"(final|before)-/,
    faults: [...WRITE, 'failed-backup', 'stuck-backup'],
  }),
  // Of an RdsBackup; judged by oracle-backups.ts.
  write('otc backup order', 'POST /v3/{project}/backups', ['create'], {
    faults: [...WRITE, 'failed-backup', 'stuck-backup'],
  }),
  write('otc backup delete', 'DELETE /v3/{project}/backups/{id}', ['delete']),
  write('otc restore in place', 'POST /v3/{project}/instances/recovery', ['restore'], {
    faults: [...WRITE, 'failed-restore'],
    fits: holds(({ backuprestoretime = '' }) => `"restore_time":${Date.parse(backuprestoretime)}`),
  }),
  write('otc password', `POST ${ONE}/password`, ['password'], { fits: () => true }),
  write('otc restart', ACTION, ['restart'], { says: /"restart"/ }),
  write('otc enlarge', ACTION, ['enlarge'], {
    says: /"enlarge_volume"/,
    fits: holds(({ volumesize }) => `"size":${volumesize}`),
  }),
  write('otc resize', ACTION, ['resize'], {
    says: /"resize_flavor"/,
    fits: holds(({ flavorref }) => `"spec_code":"${flavorref.replace(/\.ha$/, '')}`),
  }),
  write('otc standby', ACTION, ['addStandby'], {
    says: /"single_to_ha"/,
    fits: ({ hamode }) => hamode === 'Ha',
  }),
  write('otc failover', `PUT ${ONE}/failover`, ['failover'], {
    fits: ({ autopilot }) => autopilot?.heal === true,
  }),
  write('otc replication mode', `PUT ${ONE}/failover/mode`, ['replicationMode'], {
    fits: holds(({ hareplicationmode }) => `"mode":"${hareplicationmode}"`),
  }),
  write('otc failover strategy', `PUT ${ONE}/failover/strategy`, ['failoverStrategy'], {
    fits: holds(({ failoverStrategy }) => `"repairStrategy":"${failoverStrategy}"`),
  }),
  write('otc port', `PUT ${ONE}/port`, ['port'], { fits: holds(({ port }) => `"port":${port}`) }),
  write('otc security group', `PUT ${ONE}/security-group`, ['securityGroup'], { fits: () => true }),
  write('otc backup policy', `PUT ${ONE}/backups/policy`, ['backupPolicy'], {
    // One call for two fields: the one that nobody set stays as the instance has it.
    fits: ({ backupkeepdays, backupstarttime }, body) =>
      new RegExp(`"keep_days":${backupkeepdays}[,}]`).test(body) ||
      body.includes(`"start_time":"${backupstarttime}"`),
  }),
  write('otc set parameters', `PUT ${ONE}/configurations`, ['parameters'], {
    fits: ({ parameters }, body) => setsOnly(parameters, body),
  }),
  write('otc ssl', `PUT ${ONE}/ssl`, ['ssl'], { fits: holds(({ ssl }) => `"ssl_option":${ssl === true}`) }),
  write('otc window', `PUT ${ONE}/ops-window`, ['window'], {
    fits: holds(({ maintenanceWindow }) => `"start_time":"${maintenanceWindow?.start}"`),
  }),
  write('otc stop', `${ACTION}/shutdown`, ['stop'], { fits: ({ stopped }) => stopped === true }),
  write('otc start', `${ACTION}/startup`, ['start'], { fits: ({ stopped }) => stopped !== true }),
  write('otc minor upgrade', `POST ${ONE}/db-upgrade`, ['minorUpgrade'], {
    fits: ({ minorUpgrade }) => minorUpgrade === 'Now' || minorUpgrade === 'InWindow',
  }),
  read('otc error log', `GET ${ONE}/errorlog`),
  read('otc slow log', `GET ${ONE}/slowlog`),
  // For log Jobs; their tokens come from a login. Judged by oracle-credentials.ts.
  write('otc keys', 'POST /v3.0/OS-CREDENTIAL/securitytokens', []),
  // A 404 is the proof that a token is dead: a cloud that lies in this is beyond the protocol.
  write('otc revoke', 'DELETE /v3/auth/tokens', [], { faults: WRITE.filter((kind) => kind !== '404') }),
  write('otc tag', `POST ${ONE}/tags/action`, [], { says: /"create"/ }),
  write('otc untag', `POST ${ONE}/tags/action`, []),
] as const satisfies readonly Row[];

export type OtcSite = (typeof ROWS)[number]['site'];

const rows: readonly Row<OtcSite>[] = ROWS;
const bySite = new Map(rows.map((row) => [row.site, row]));
const byCall = Map.groupBy(rows, ({ call }) => call);

export const OTC_SITES = Object.fromEntries(rows.map(({ site, faults }) => [site, faults])) as Record<
  OtcSite,
  readonly string[]
>;

/** Empty: safe to repeat. */
export const opsOf = (site: OtcSite): readonly OpKind[] => bySite.get(site)?.ops ?? [];
export const fitsOf = (site: OtcSite): Row['fits'] => bySite.get(site)?.fits;
export const isWriteSite = (site: OtcSite): boolean => bySite.get(site)?.isWrite === true;

/** Must not be repeated: sent only under a claim. */
export const CLAIMED_SITES: ReadonlySet<string> = new Set(
  rows.flatMap(({ site, ops = [] }) => (ops.length === 0 ? [] : [site])),
);

/** Backups as objects, with journals of their own. */
export const isBackupSite = (site: OtcSite): boolean =>
  site === 'otc backup order' || site === 'otc backup delete';
/** Credentials of log Jobs: noted in the journal instead of claimed. */
export const CREDENTIAL_SITES: ReadonlySet<string> = new Set<OtcSite>(['otc keys', 'otc revoke']);
/** Alarms and topics: no part of an instance, and judged apart. */
export const isWatchSite = (site: OtcSite): boolean =>
  /^otc (alarm |topic |subscribe|unsubscribe)/.test(site);

/** undefined: a call that nobody told the simulation about. */
export function otcSite(request: OtcRequest): OtcSite | undefined {
  const candidates = byCall.get(`${request.method} ${request.route}`) ?? [];
  return candidates.find(({ says }) => !says || says.test(request.url) || says.test(request.body ?? ''))
    ?.site;
}

/** `/instances/{id}/…` -> id; for a backup or a replica the instance in the body. */
export function instanceIdOf(request: OtcRequest): string | undefined {
  const fromPath = /\/instances\/([0-9a-f]{32}in\d\d)/.exec(request.url)?.[1];
  return fromPath ?? /"(?:instance_id|replica_of_id)":"([^"]+)"/.exec(request.body ?? '')?.[1];
}
