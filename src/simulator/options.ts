// What can be set about a simulated cloud, with defaults near to what was seen of the real one.
import { type Clock, systemClock } from '../clock.ts';
import type { Hosting } from './hosting.ts';
import type { Deliver } from './smn/types.ts';

/** How long each operation takes at speed 1. */
export type Durations = {
  createMs: number;
  replicaMs: number;
  enlargeMs: number;
  resizeMs: number;
  restartMs: number;
  startMs: number;
  stopMs: number;
  haMs: number;
  failoverMs: number;
  migrateMs: number;
  portMs: number;
  /** Short changes that keep the instance ACTIVE: TLS, address, security group, parameters. */
  changeMs: number;
  backupMs: number;
  restoreMs: number;
  upgradeMs: number;
  deleteMs: number;
  /** A job says Completed this much later than its instance. */
  jobTailMs: number;
};

const MINUTE = 60_000;

const defaultDurations: Durations = {
  createMs: 6 * MINUTE,
  replicaMs: 6 * MINUTE,
  enlargeMs: 3 * MINUTE,
  resizeMs: 8 * MINUTE,
  restartMs: MINUTE,
  startMs: 2 * MINUTE,
  stopMs: 2 * MINUTE,
  haMs: 8 * MINUTE,
  failoverMs: MINUTE,
  migrateMs: 8 * MINUTE,
  portMs: MINUTE,
  changeMs: 10_000,
  backupMs: 2 * MINUTE,
  restoreMs: 5 * MINUTE,
  upgradeMs: 10 * MINUTE,
  deleteMs: MINUTE,
  jobTailMs: 5_000,
};

export type SimulatorOptions = {
  clock?: Clock;
  /** Divides the durations of operations, the periods of metrics and the days of the load curve, nothing else. */
  speed?: number;
  seed?: number;
  /** Further VPCs, each with a subnet and a security group of the same name. */
  networks?: string[];
  /** Where the catalog points to; otherwise the Host header of the request. */
  baseUrl?: string;
  durations?: Partial<Durations>;
  /** A new instance is missing from lists for this long. */
  listLagMs?: number;
  /** A deleted instance is still listed for this long. */
  goneLagMs?: number;
  /** A new job is unknown for this long. */
  jobLagMs?: number;
  shuffleList?: boolean;
  instanceQuota?: number;
  /** Daily backups in the window of each instance, with their BACKING UP phase. */
  automatedBackups?: boolean;
  /** Refuse a second instance of the same name with DBS.200022. */
  uniqueNames?: boolean;
  /** Calls a second, beyond which 429 is answered; 0 = no limit. */
  ratePerSecond?: number;
  alarmQuota?: number;
  /** An alarm is judged so long after the end of its period. */
  alarmDelayMs?: number;
  /** The real SMN posts to public addresses only. */
  allowInternalEndpoints?: boolean;
  /** How messages of SMN get to their endpoints; unless told, over the network once there is a server. */
  deliver?: Deliver;
  /** Runs a real database behind each instance of the engines it knows. */
  hosting?: Hosting;
};

export type Settings = Required<Omit<SimulatorOptions, 'baseUrl' | 'durations' | 'hosting' | 'deliver'>> & {
  baseUrl: string | undefined;
  hosting: Hosting | undefined;
  deliver: Deliver | undefined;
  durations: Durations;
};

export function settingsFrom(options: SimulatorOptions): Settings {
  return {
    clock: options.clock ?? systemClock,
    speed: options.speed ?? 1,
    seed: options.seed ?? 1,
    networks: options.networks ?? [],
    baseUrl: options.baseUrl,
    durations: { ...defaultDurations, ...options.durations },
    listLagMs: options.listLagMs ?? 0,
    goneLagMs: options.goneLagMs ?? 0,
    jobLagMs: options.jobLagMs ?? 0,
    shuffleList: options.shuffleList ?? false,
    instanceQuota: options.instanceQuota ?? 5000,
    automatedBackups: options.automatedBackups ?? true,
    uniqueNames: options.uniqueNames ?? false,
    ratePerSecond: options.ratePerSecond ?? 0,
    alarmQuota: options.alarmQuota ?? 15_000,
    alarmDelayMs: options.alarmDelayMs ?? 0,
    allowInternalEndpoints: options.allowInternalEndpoints ?? true,
    deliver: options.deliver,
    hosting: options.hosting,
  };
}
