// The rules a create must obey, each with the code the cloud refuses it with.
import { REGION, ZONES } from '../demo-account.ts';
import {
  integer,
  type JsonObject,
  object,
  optionalInteger,
  optionalObject,
  optionalText,
  text,
} from '../fields.ts';
import type { Call } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { type Network, networksOf } from '../vpc/networks.ts';
import { checkPort, engines, factsOf } from './engines.ts';
import { type Flavor, findFlavor } from './flavors.ts';
import type { Engine } from './types.ts';

export function readName(body: JsonObject): string {
  const name = text(body, 'name');
  if (!/^[A-Za-z][A-Za-z0-9_-]{3,63}$/.test(name))
    throw refuse(400, 'DBS.200021', `Invalid DB instance name ${name}.`);
  return name;
}

export function readDatastore(
  body: JsonObject,
  { isAnyCase = false } = {},
): { engine: Engine; version: string } {
  const datastore = object(body, 'datastore');
  const type = text(datastore, 'type');
  const version = text(datastore, 'version');
  const facts = engines.find(
    ({ engine }) => engine === type || (isAnyCase && engine.toLowerCase() === type.toLowerCase()),
  );
  if (!facts) throw refuse(400, 'DBS.200040', `The database engine ${type} is not supported.`);
  if (!facts.versions.includes(version))
    throw refuse(400, 'DBS.200041', `${type} ${version} is not supported.`);
  return { engine: facts.engine, version };
}

export function readHa(body: JsonObject, engine: Engine, version: string): { mode: string } | undefined {
  const ha = optionalObject(body, 'ha');
  if (!ha) {
    if (version.endsWith('_EE'))
      throw refuse(400, 'DBS.200042', `${version} needs a primary/standby instance.`);
    return undefined;
  }
  if (text(ha, 'mode').toLowerCase() !== 'ha') throw refuse(400, 'DBS.200051', 'The HA mode is invalid.');
  const modes = factsOf(engine).replicationModes;
  const mode = optionalText(ha, 'replication_mode') ?? modes[0] ?? '';
  if (!modes.includes(mode))
    throw refuse(400, 'DBS.200043', `The replication mode ${mode} is invalid for ${engine}.`);
  return { mode };
}

export function readFlavor(
  call: Call,
  body: JsonObject,
  engine: Engine,
  mode: Flavor['mode'],
  zones: string[],
): Flavor {
  const code = text(body, 'flavor_ref');
  const flavor = findFlavor(code);
  if (!flavor) throw refuse(404, 'DBS.290002', `The flavor ${code} does not exist.`);
  if (flavor.engine !== engine) throw refuse(400, 'DBS.200053', `The flavor ${code} is not for ${engine}.`);
  if (flavor.mode !== mode)
    throw refuse(400, 'DBS.280239', `The flavor ${code} is not for a ${mode} instance.`);
  checkStock(call, flavor, zones);
  return flavor;
}

export function checkStock(call: Call, flavor: Flavor, zones: string[]): void {
  const isSoldOut = zones.some((zone) => flavor.stock[zone] !== 'normal');
  if (isSoldOut || call.faults.takeWorld('sold-out', call.site, flavor.code))
    throw refuse(400, 'DBS.280450', `The flavor ${flavor.code} is sold out in ${zones.join(',')}.`);
}

const volumeTypes = new Set(['CLOUDSSD', 'ESSD', 'ULTRAHIGH', 'COMMON']);

export function readVolume(body: JsonObject): { volumeType: string; volumeGb: number } {
  const volume = object(body, 'volume');
  const volumeType = text(volume, 'type');
  if (!volumeTypes.has(volumeType))
    throw refuse(400, 'DBS.200026', `The volume type ${volumeType} is invalid.`);
  return { volumeType, volumeGb: checkSize(integer(volume, 'size')) };
}

export function checkSize(sizeGb: number): number {
  if (sizeGb < 40 || sizeGb > 4000)
    throw refuse(400, 'DBS.200023', 'The volume size must be from 40 to 4000 GB.');
  if (sizeGb % 10 !== 0) throw refuse(400, 'DBS.200027', 'The volume size must be a multiple of 10 GB.');
  return sizeGb;
}

export function checkRegion(region: string): string {
  if (region !== REGION) throw refuse(400, 'DBS.200024', `The region ${region} is invalid.`);
  return region;
}

export function readZones(body: JsonObject, count: number): string[] {
  const zones = text(body, 'availability_zone').split(',');
  if (zones.length !== count) throw refuse(400, 'DBS.200025', `${count} availability zone(s) are needed.`);
  for (const zone of zones)
    if (!ZONES.includes(zone))
      throw refuse(404, 'DBS.200470', `The availability zone ${zone} does not exist.`);
  return zones;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function readNetwork(call: Call, body: JsonObject): { network: Network; securityGroupId: string } {
  const vpcId = text(body, 'vpc_id');
  const subnetId = text(body, 'subnet_id');
  if (!UUID.test(vpcId)) throw refuse(400, 'DBS.200048', `The VPC ID ${vpcId} is invalid.`);
  if (!UUID.test(subnetId)) throw refuse(400, 'DBS.200049', `The subnet ID ${subnetId} is invalid.`);
  const networks = networksOf(call.settings, call.identity.projectId ?? '');
  if (!networks.some((network) => network.vpcId === vpcId))
    throw refuse(404, 'DBS.200503', `The VPC ${vpcId} does not exist.`);
  const network = networks.find((candidate) => candidate.subnetId === subnetId && candidate.vpcId === vpcId);
  if (!network) throw refuse(404, 'DBS.200501', `The subnet ${subnetId} does not exist.`);
  return { network, securityGroupId: checkSecurityGroup(call, text(body, 'security_group_id')) };
}

export function checkSecurityGroup(call: Call, id: string): string {
  if (!UUID.test(id)) throw refuse(400, 'DBS.200049', `The security group ID ${id} is invalid.`);
  const networks = networksOf(call.settings, call.identity.projectId ?? '');
  if (!networks.some(({ securityGroupId }) => securityGroupId === id))
    throw refuse(404, 'DBS.200050', `The security group ${id} does not exist.`);
  return id;
}

/** The Go SDK sends a string, the Python one an integer. */
export function readPort(body: JsonObject, engine: Engine): number {
  const raw = body.port;
  if (raw === undefined || raw === null || raw === '') return factsOf(engine).defaultPort;
  const port = typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : raw;
  if (typeof port !== 'number' || !Number.isInteger(port)) throw new BadField('port', 'it must be a number');
  checkPort(engine, port);
  return port;
}

export function readBackupStrategy(body: JsonObject): { backupWindow: string; backupKeepDays: number } {
  const strategy = optionalObject(body, 'backup_strategy');
  if (!strategy) return { backupWindow: '02:00-03:00', backupKeepDays: 7 };
  return {
    backupWindow: checkBackupWindow(text(strategy, 'start_time'), 'DBS.280253'),
    backupKeepDays: checkKeepDays(optionalInteger(strategy, 'keep_days') ?? 7, 'DBS.280250'),
  };
}

/** `hh:mm-HH:MM`: exactly one hour, starting on a quarter. */
export function checkBackupWindow(window: string, code: string): string {
  const match = /^([01]\d|2[0-3]):(00|15|30|45)-([01]\d|2[0-3]):(00|15|30|45)$/.exec(window);
  const isOneHour = match && (Number(match[1]) + 1) % 24 === Number(match[3]) && match[2] === match[4];
  if (!isOneHour) throw refuse(400, code, `The backup time window ${window} is invalid.`);
  return window;
}

export function checkKeepDays(days: number, code: string): number {
  if (days < 0 || days > 732) throw refuse(400, code, 'The retention period must be from 1 to 732 days.');
  return days;
}

export function readTimeZone(body: JsonObject): string {
  const zone = optionalText(body, 'time_zone') ?? 'UTC';
  if (zone !== 'UTC' && !/^UTC[+-](0\d|1[0-2]):00$/.test(zone))
    throw new BadField('time_zone', `${zone} is invalid`);
  return zone;
}

export function readEncryptionKey(body: JsonObject): string {
  const id = optionalText(body, 'disk_encryption_id') ?? '';
  if (id !== '' && !UUID.test(id)) throw refuse(400, 'DBS.200506', `The KMS key ${id} does not exist.`);
  return id;
}

/** Can be set at creation only, and means something to MySQL only. */
export function readUnchangeable(body: JsonObject, engine: Engine): Record<string, string> {
  const value =
    optionalText(optionalObject(body, 'unchangeable_param') ?? {}, 'lower_case_table_names') ?? '1';
  if (engine !== 'MySQL') return {};
  if (value !== '0' && value !== '1') throw new BadField('lower_case_table_names', 'it must be 0 or 1');
  return { lower_case_table_names: value };
}
