// What happens when an operation's time has come.
import { note, type World } from '../world.ts';
import {
  type BackupClock,
  endBackup,
  removeBackup,
  startAutomatedBackup,
  takeFirstBackup,
} from './automated-backups.ts';
import { remove } from './removal.ts';
import { restingStatus } from './storage-pressure.ts';
import type { Effect, Instance } from './types.ts';

type Apply<K extends Effect['do']> = (
  instance: Instance,
  effect: Extract<Effect, { do: K }>,
  at: number,
) => void;

/** Effects that change one instance and end its operation. */
const changes: { [K in Effect['do']]?: Apply<K> } = {
  built: (instance, _effect, at) => {
    instance.builtAt = at;
  },
  enlarged: (instance, { sizeGb }) => {
    if (instance.load.disk !== null) instance.load.disk = (instance.load.disk * instance.volumeGb) / sizeGb;
    instance.volumeGb = sizeGb;
  },
  resized: (instance, { flavor }) => {
    instance.flavor = flavor;
    instance.needsRestart = false;
  },
  restarted: (instance) => {
    instance.needsRestart = false;
  },
  'made-ha': (instance, { zone, nodeId }) => {
    instance.type = 'Ha';
    instance.flavor = `${instance.flavor}.ha`;
    instance.replicationMode = instance.engine === 'SQLServer' ? 'sync' : 'async';
    instance.strategy = 'reliability';
    instance.nodes.push({ id: nodeId, name: `${instance.name}_node1`, role: 'slave', zone });
  },
  'volume-changed': (instance, { volumeType }) => {
    instance.volumeType = volumeType;
  },
  'failed-over': (instance) => {
    for (const node of instance.nodes) node.role = node.role === 'master' ? 'slave' : 'master';
  },
  migrated: (instance, { nodeId, zone }) => {
    for (const node of instance.nodes) if (node.id === nodeId) node.zone = zone;
  },
  started: (instance) => {
    instance.stoppedAt = undefined;
  },
  stopped: (instance, _effect, at) => {
    instance.stoppedAt = at;
  },
  'port-changed': (instance, { port }) => {
    instance.port = port;
  },
  'ip-changed': (instance, { ip }) => {
    instance.ip = ip;
  },
  'dns-changed': (instance, { dnsName }) => {
    instance.dnsName = dnsName;
  },
  upgraded: (instance, { completeVersion }) => {
    instance.completeVersion = completeVersion;
  },
  'major-upgraded': (instance, { version }, at) => {
    instance.version = version;
    const last = instance.upgrades.at(-1);
    if (last) last.endedAt = at;
  },
};

const failedStatus: Partial<Record<Effect['do'], string>> = {
  'build-failed': 'CREATE FAIL',
  'restore-failed': 'FAILED',
};

/** Effects that are not the end of an operation; true when this was one. */
function applyAside(world: World, instance: Instance, effect: Effect, clock: BackupClock): boolean {
  switch (effect.do) {
    case 'deleted':
      remove(world, instance, clock.now);
      return true;
    case 'automated-backup':
      startAutomatedBackup(world, instance, clock);
      return true;
    case 'ssl-changed':
      instance.ssl = effect.ssl;
      instance.sslBusyUntil = undefined;
      return true;
    case 'started-by-itself':
      if (instance.stoppedAt !== effect.stoppedAt || instance.operation) return true;
      instance.stoppedAt = undefined;
      return false;
    default:
      return false;
  }
}

export function applyEffect(world: World, instanceId: string, effect: Effect, clock: BackupClock): void {
  if (effect.do === 'backup-removed') removeBackup(world, effect.backupId, clock.now);
  const instance = world.instances[instanceId];
  if (!instance || effect.do === 'backup-removed' || applyAside(world, instance, effect, clock)) return;
  if (effect.do === 'backed-up') endBackup(world, effect, clock.now);
  (changes[effect.do] as Apply<typeof effect.do> | undefined)?.(instance, effect, clock.now);
  note(world, { at: clock.now, kind: effect.do, instanceId, name: instance.name });
  instance.operation = undefined;
  instance.updatedAt = clock.now;
  instance.status = failedStatus[effect.do] ?? restingStatus(instance, clock.now);
  if (effect.do === 'built') takeFirstBackup(world, instance, clock);
}
