// `POST /instances`: a new instance, a replica or a restore, told apart by the body.
import { REGION } from '../demo-account.ts';
import { bodyOf, type JsonObject, optionalObject, optionalText, text } from '../fields.ts';
import type { Answer, Call } from '../protocol.ts';
import { refuse } from '../refusal.ts';
import { blankInstance, newNodes, setAddress } from './blank-instance.ts';
import * as rules from './create-rules.ts';
import { checkPassword, factsOf } from './engines.ts';
import { launch } from './launch.ts';
import { templateValues } from './parameter-templates.ts';
import { createReplica } from './replica.ts';
import { type RestorePoint, readRestorePoint } from './restore-point.ts';
import type { Instance } from './types.ts';

export function createInstance(call: Call): Answer {
  const body = bodyOf(call);
  if (optionalText(body, 'replica_of_id')) return createReplica(call, body);
  const point = optionalObject(body, 'restore_point');
  return createPrimary(call, body, point && readRestorePoint(call, point));
}

function createPrimary(call: Call, body: JsonObject, source: RestorePoint | undefined): Answer {
  const name = checkNameIsFree(call, rules.readName(body));
  const { engine, version } = source ?? rules.readDatastore(body);
  const ha = rules.readHa(body, engine, version);
  const zones = rules.readZones(body, ha ? 2 : 1);
  const flavor = rules.readFlavor(call, body, engine, ha ? 'ha' : 'single', zones);
  const volume = rules.readVolume(body);
  if (source && volume.volumeGb < source.volumeGb)
    throw refuse(400, 'DBS.200023', 'The volume must not be smaller than that of the source.');
  const region = rules.checkRegion(source ? (optionalText(body, 'region') ?? REGION) : text(body, 'region'));
  const { network, securityGroupId } = rules.readNetwork(call, body);
  const password = text(body, 'password');
  checkPassword(engine, password);
  const configurationId = optionalText(body, 'configuration_id') || undefined;
  const instance: Instance = {
    ...blankInstance(call, engine, name),
    ...volume,
    ...rules.readBackupStrategy(body),
    type: ha ? 'Ha' : 'Single',
    version,
    completeVersion: factsOf(engine).completeVersions[version] ?? version,
    replicationMode: ha?.mode,
    strategy: ha ? 'reliability' : '',
    port: rules.readPort(body, engine),
    flavor: flavor.code,
    region,
    vpcId: network.vpcId,
    subnetId: network.subnetId,
    securityGroupId,
    password,
    timeZone: rules.readTimeZone(body),
    collation: optionalText(body, 'collation') ?? '',
    diskEncryptionId: rules.readEncryptionKey(body),
    parameters: {
      ...(configurationId && templateValues(call, configurationId, { engine, version })),
      ...rules.readUnchangeable(body, engine),
    },
    restoredFrom: source?.from,
  };
  setAddress(call, instance, network, optionalText(body, 'data_vip'));
  instance.nodes = call.random.shuffled(newNodes(call, instance, zones));
  return launch(call, instance, { zone: zones.join(','), configurationId });
}

function checkNameIsFree(call: Call, name: string): string {
  const { settings, world } = call;
  if (settings.uniqueNames && Object.values(world.instances).some((other) => other.name === name))
    throw refuse(409, 'DBS.200022', `The name ${name} already exists.`);
  return name;
}
