// A read replica: engine, version, network and size come from its primary.
import { type JsonObject, object, optionalText, text } from '../fields.ts';
import type { Answer, Call } from '../protocol.ts';
import { refuse } from '../refusal.ts';
import { networksOf } from '../vpc/networks.ts';
import { blankInstance, newNodes, setAddress } from './blank-instance.ts';
import * as rules from './create-rules.ts';
import { findFlavor } from './flavors.ts';
import { requireActive } from './guards.ts';
import { launch } from './launch.ts';
import type { Instance } from './types.ts';

const MAX_REPLICAS = 5;

export function createReplica(call: Call, body: JsonObject): Answer {
  const primary = call.world.instances[text(body, 'replica_of_id')];
  if (
    !primary ||
    primary.type === 'Replica' ||
    primary.engine === 'SQLServer' ||
    primary.projectId !== call.identity.projectId
  )
    throw refuse(400, 'DBS.200055', 'The primary DB instance of the read replica is invalid.');
  const siblings = Object.values(call.world.instances).filter(({ replicaOf }) => replicaOf === primary.id);
  if (siblings.length >= MAX_REPLICAS)
    throw refuse(400, 'DBS.200056', 'The number of read replicas is at its limit.');
  requireActive(primary);
  const name = rules.readName(body);
  const zones = rules.readZones(body, 1);
  const flavor = rules.readFlavor(call, body, primary.engine, 'replica', zones);
  if (flavor.vcpus < (findFlavor(primary.flavor)?.vcpus ?? 0))
    throw refuse(400, 'DBS.200054', 'The class of a read replica must not be below that of its primary.');
  const volumeType = optionalText(object(body, 'volume'), 'type') ?? primary.volumeType;
  const network = networksOf(call.settings, primary.projectId).find(
    ({ subnetId }) => subnetId === primary.subnetId,
  );
  if (!network) throw refuse(404, 'DBS.200501', 'The subnet does not exist.');
  const replica: Instance = {
    ...blankInstance(call, primary.engine, name),
    type: 'Replica',
    version: primary.version,
    completeVersion: primary.completeVersion,
    port: primary.port,
    flavor: flavor.code,
    volumeType,
    volumeGb: primary.volumeGb,
    vpcId: primary.vpcId,
    subnetId: primary.subnetId,
    securityGroupId: primary.securityGroupId,
    password: primary.password,
    replicaOf: primary.id,
    backupKeepDays: 0,
  };
  setAddress(call, replica, network, undefined);
  replica.nodes = newNodes(call, replica, zones).map((node) => ({ ...node, role: 'readreplica' }));
  return launch(call, replica, { zone: zones.join(','), configurationId: undefined });
}
