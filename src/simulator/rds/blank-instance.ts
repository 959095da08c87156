// What every new instance starts from, its nodes and its address.
import { REGION } from '../demo-account.ts';
import type { Call } from '../protocol.ts';
import { refuse } from '../refusal.ts';
import { freeAddress, type Network } from '../vpc/networks.ts';
import { factsOf } from './engines.ts';
import { realAddress } from './hosted.ts';
import type { Engine, Instance, Node } from './types.ts';

export function blankInstance(call: Call, engine: Engine, name: string): Instance {
  return {
    id: `${call.random.hex(32)}in${factsOf(engine).idSuffix}`,
    projectId: call.identity.projectId ?? '',
    name,
    alias: '',
    status: 'BUILD',
    type: 'Single',
    engine,
    version: '',
    completeVersion: '',
    replicationMode: undefined,
    strategy: '',
    port: 0,
    flavor: '',
    volumeType: '',
    volumeGb: 0,
    region: REGION,
    vpcId: '',
    subnetId: '',
    securityGroupId: '',
    ip: '',
    publicIp: undefined,
    dnsName: undefined,
    password: '',
    createdAt: call.now,
    updatedAt: call.now,
    builtAt: undefined,
    stoppedAt: undefined,
    visibleAt: call.now + call.settings.listLagMs,
    backupWindow: '02:00-03:00',
    backupKeepDays: 7,
    backupPeriod: '1,2,3,4,5,6,7',
    maintenanceWindow: '02:00-06:00',
    // Only MySQL can switch it; the others always have it on.
    ssl: engine !== 'MySQL',
    nodes: [],
    replicaOf: undefined,
    tags: [],
    timeZone: 'UTC',
    collation: '',
    diskEncryptionId: '',
    parameters: {},
    needsRestart: false,
    autoExpansion: { isOn: false, limitGb: 4000, triggerPercent: 10 },
    load: { cpu: null, mem: null, disk: null },
    restoredFrom: undefined,
    operation: undefined,
    sslBusyUntil: undefined,
    upgradeCheck: undefined,
    upgrades: [],
  };
}

export function newNodes(call: Call, instance: Instance, zones: string[]): Node[] {
  return zones.map((zone, index) => ({
    id: `${call.random.hex(32)}no${factsOf(instance.engine).idSuffix}`,
    name: `${instance.name}_node${index}`,
    role: index === 0 ? 'master' : 'slave',
    zone,
  }));
}

/** Of this machine when a real database will stand behind it, else of the simulated network. */
export function setAddress(
  call: Call,
  instance: Instance,
  network: Network,
  wanted: string | undefined,
): void {
  const real = realAddress(call, instance);
  if (real && wanted && wanted !== real)
    throw refuse(400, 'DBS.280001', `The address ${wanted} is not available: a real database is at ${real}.`);
  instance.ip = real ?? chooseAddress(call, network, wanted);
  if (real) instance.isReal = true;
}

export function chooseAddress(call: Call, network: Network, wanted: string | undefined): string {
  const taken = new Set(Object.values(call.world.instances).map(({ ip }) => ip));
  if (!wanted) return freeAddress(network, taken);
  if (!wanted.startsWith(`${network.prefix}.`) || taken.has(wanted))
    throw refuse(400, 'DBS.280001', `The address ${wanted} is not available.`);
  return wanted;
}
