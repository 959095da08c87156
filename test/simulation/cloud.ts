// The simulated cloud in-process, with its world open to the oracles and to the hands of people at the console.

import type { Clock } from '../../src/clock.ts';
import type { OtcRequest } from '../../src/otc/send.ts';
import { createCloud } from '../../src/simulator/cloud.ts';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { settingsFrom } from '../../src/simulator/options.ts';
import { type LoadOrder, recordLoad, setLoad } from '../../src/simulator/rds/load.ts';
import { remove } from '../../src/simulator/rds/removal.ts';
import { setStatus } from '../../src/simulator/rds/set-status.ts';
import type { Instance } from '../../src/simulator/rds/types.ts';
import { type Network, networksOf } from '../../src/simulator/vpc/networks.ts';
import type { Outcome } from '../../src/simulator/wire-faults.ts';
import type { World as CloudWorld } from '../../src/simulator/world.ts';

export type { CloudWorld, Instance };

const HOST = '127.0.0.1:9090';
export const BASE_URL = `http://${HOST}`;

/** How far behind the lists of this cloud are. */
export type Lags = { listLagMs: number; goneLagMs: number; jobLagMs: number };

export type SimCloud = {
  exchange(request: OtcRequest, faults?: readonly Fault[]): Outcome;
  now(): number;
  /** What is really so, with everything due applied. Not a copy. */
  world(): CloudWorld;
  instance(id: string): Instance | undefined;
  /** Made by somebody else. */
  addForeign(name: string): Instance;
  removeByHand(instance: Instance): void;
  /** Somebody made a backup of it in the console. */
  addBackup(instance: Instance | undefined): void;
  /** What its clients do to a database, in percent. */
  load(instance: Instance, order: LoadOrder): void;
  breaks(instance: Instance): void;
};

/** Periods of alarms are minutes in real life: here an alarm goes off after a minute and a half. */
const SPEED = 10;
export const PERIOD_MS = 300_000 / SPEED;

/** Each is a VPC, a subnet and a security group. */
export const NETWORKS: readonly string[] = ['default', 'spare'];

/** Short, so that a schedule of minutes sees whole lives; long enough for many calls in between. */
const durations = {
  createMs: 70_000,
  enlargeMs: 25_000,
  resizeMs: 40_000,
  restartMs: 15_000,
  backupMs: 30_000,
  restoreMs: 40_000,
  upgradeMs: 60_000,
  deleteMs: 20_000,
  changeMs: 5_000,
  jobTailMs: 3_000,
};

export function createSimCloud(clock: Clock, seed: number, lags: Lags): SimCloud {
  const settings = settingsFrom({
    clock,
    seed,
    baseUrl: BASE_URL,
    speed: SPEED,
    durations: Object.fromEntries(Object.entries(durations).map(([name, ms]) => [name, ms * SPEED])),
    automatedBackups: false,
    shuffleList: true,
    networks: [...NETWORKS],
    ...lags,
  });
  const cloud = createCloud(settings);
  const [network] = networksOf(settings, DEMO_PROJECT.id);
  let foreigners = 0;

  return {
    exchange(request, faults = []) {
      for (const fault of faults) cloud.faults.add({ ...fault, times: 1 });
      const { method, body } = request;
      const headers = { host: HOST, ...request.headers };
      const outcome = cloud.exchange(
        { method, url: request.url.slice(BASE_URL.length), headers, body },
        BASE_URL,
      );
      if (faults.length > 0) cloud.faults.clear();
      return outcome;
    },
    now: () => clock.now(),
    world: () => cloud.settle().world,
    instance: (id) => cloud.settle().world.instances[id],
    addForeign(name) {
      foreigners += 1;
      const { world, now } = cloud.settle();
      const instance = foreignInstance(name, foreigners, now, network);
      world.instances[instance.id] = instance;
      return instance;
    },
    addBackup(instance) {
      if (!instance) return;
      const { world, now } = cloud.settle();
      const { engine, version, volumeGb, volumeType, name } = instance;
      const id = `${instance.id.slice(0, 24)}${`${Object.keys(world.backups).length}`.padStart(8, '0')}br01`;
      world.backups[id] = {
        ...{ id, instanceId: instance.id, projectId: instance.projectId, name: `by-hand-${id}` },
        ...{ description: '', type: 'manual', status: 'COMPLETED', beginAt: now, endAt: now, sizeKb: 1 },
        databases: undefined,
        source: { engine, version, volumeGb, volumeType, instanceName: name },
      };
    },
    load(instance, order) {
      setLoad(cloud.settle(), instance, order);
    },
    breaks(instance) {
      const scene = cloud.settle();
      setStatus(scene, instance, 'FAILED');
      recordLoad(scene, instance);
    },
    removeByHand(instance) {
      const { world, now } = cloud.settle();
      remove(world, instance, now);
    },
  };
}

function foreignInstance(name: string, count: number, now: number, network: Network | undefined): Instance {
  return {
    id: `${'f'.repeat(24)}${`${count}`.padStart(8, '0')}in01`,
    projectId: DEMO_PROJECT.id,
    name,
    alias: '',
    status: 'ACTIVE',
    type: 'Single',
    engine: 'MySQL',
    version: '8.0',
    completeVersion: '8.0.28',
    replicationMode: undefined,
    strategy: '',
    port: 3306,
    flavor: 'rds.mysql.c2.medium',
    volumeType: 'COMMON',
    volumeGb: 40,
    region: 'eu-de',
    vpcId: network?.vpcId ?? '',
    subnetId: network?.subnetId ?? '',
    securityGroupId: network?.securityGroupId ?? '',
    ip: `10.9.9.${count}`,
    publicIp: undefined,
    dnsName: undefined,
    password: `Foreign-${count}`,
    createdAt: now,
    updatedAt: now,
    builtAt: now,
    stoppedAt: undefined,
    visibleAt: now,
    backupWindow: '02:00-03:00',
    backupKeepDays: 7,
    backupPeriod: '1,2,3,4,5,6,7',
    maintenanceWindow: '02:00-06:00',
    ssl: false,
    nodes: [{ id: `${'f'.repeat(32)}no01`, name: 'node', role: 'master', zone: 'eu-de-01' }],
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
