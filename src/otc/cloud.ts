// What the loop can ask of one project in the cloud. Wire names end in the sibling files; here and beyond
// everything is camelCase, with units in the names.

import type { Fresh } from './fresh.ts';
import type { Monitoring, Notifications } from './monitoring.ts';

export type Engine = 'MySQL' | 'PostgreSQL' | 'SQLServer';

export type InstanceNode = {
  id: string;
  role: 'master' | 'slave' | 'readreplica';
  status: string;
  availabilityZone: string;
};

export type Instance = {
  id: string;
  name: string;
  /** As the cloud spells it, spaces included: `ACTIVE`, `BUILD`, `STORAGE FULL`. */
  status: string;
  type: 'Single' | 'Ha' | 'Replica';
  engine: Engine;
  version: string;
  completeVersion: string | undefined;
  port: number;
  flavor: string;
  volumeType: string;
  volumeGb: number;
  /** The one floating address; undefined until built. */
  ip: string | undefined;
  user: string;
  vpcId: string;
  subnetId: string;
  securityGroupId: string;
  replicationMode: string | undefined;
  failoverStrategy: string | undefined;
  backupStartTime: string;
  backupKeepDays: number;
  maintenanceWindow: string | undefined;
  ssl: boolean;
  tags: Record<string, string>;
  nodes: InstanceNode[];
  /** Id of the primary, for a read replica. */
  replicaOf: string | undefined;
  replicaIds: string[];
  createdAt: string | undefined;
};

export type NewInstance = {
  name: string;
  engine: Engine;
  version: string;
  replicationMode: string | undefined;
  flavor: string;
  volumeType: string;
  volumeGb: number;
  region: string;
  /** One, or `az1,az2` for HA. */
  availabilityZone: string;
  vpcId: string;
  subnetId: string;
  securityGroupId: string;
  password: string;
  port: number;
  backupStartTime: string;
  backupKeepDays: number;
  /** Where the data comes from; an empty database without it. */
  restore?: RestorePoint | undefined;
};

/** The source may be gone, its id is needed all the same. Times in epoch ms. */
export type RestorePoint = { instanceId: string; backupId: string } | { instanceId: string; time: number };

/** A change of a running instance. Each names its target, so that seeing the target proves that it happened. */
export type InstanceChange =
  /** `sizeGb` is the new total. */
  | { kind: 'enlarge'; sizeGb: number }
  | { kind: 'resize'; flavor: string }
  /** Single -> HA; only SQL Server needs the root password for it. */
  | { kind: 'addStandby'; zone: string; password: string | undefined }
  | { kind: 'replicationMode'; mode: string }
  | { kind: 'failoverStrategy'; strategy: string }
  | { kind: 'port'; port: number }
  | { kind: 'securityGroup'; securityGroupId: string }
  | { kind: 'backupPolicy'; startTime: string; keepDays: number }
  | { kind: 'parameters'; values: Record<string, string> }
  /** `remove` first: a tag that stands with another value is not overwritten. */
  | { kind: 'tags'; set: Record<string, string>; remove: readonly string[] }
  | { kind: 'ssl'; on: boolean }
  | { kind: 'window'; start: string; end: string }
  | { kind: 'stop' }
  | { kind: 'start' }
  | { kind: 'minorUpgrade' }
  /** The standby of an HA instance takes over. */
  | { kind: 'failover' };

export type Parameter = {
  name: string;
  value: string;
  restartRequired: boolean;
  readonly: boolean;
  /** `1-100`, `ON|OFF`; empty when the cloud names none. */
  range: string;
  type: string;
};

export type NewReplica = {
  name: string;
  primaryId: string;
  flavor: string;
  volumeType: string;
  volumeGb: number;
  availabilityZone: string;
};

export type Backup = {
  id: string;
  name: string;
  instanceId: string;
  type: string;
  status: 'BUILDING' | 'COMPLETED' | 'FAILED' | 'DELETING';
  sizeKb: number;
  /** Epoch milliseconds. */
  beginAt: number;
  endAt: number | undefined;
  /** Of the source. */
  engine: Engine | undefined;
  version: string | undefined;
};

export type Flavor = {
  code: string;
  vcpus: number;
  ramGb: number;
  versions: string[];
  mode: 'single' | 'ha' | 'replica';
  /** Availability zone -> `normal` | `unsupported` | `sellout`. */
  stock: Record<string, string>;
};

export type Job = {
  id: string;
  name: string;
  status: 'Running' | 'Completed' | 'Failed';
  progressPercent: number | undefined;
  failReason: string | undefined;
};

export type Task = { id: string; name: string; instanceId: string; status: string; createdAt: number };

export type Network = { vpcId: string; subnetId: string; securityGroupId: string };

export type { Fresh };

/** All instances of the project, as of `at`; may be shared by many callers. */
export type Snapshot = {
  at: number;
  byId: ReadonlyMap<string, Instance>;
  byName: ReadonlyMap<string, readonly Instance[]>;
};

/** How much time the caller still has; no call starts when nothing is left. */
export type Budget = { remainingMs(): number };

/**
 * One project seen through one set of credentials. Methods throw only `RetryableError`, `TerminalError` and
 * `UserError` (src/errors.ts). Reads may be retried inside; writes go out at most once per call.
 */
export type Cloud = {
  /** Where the project is. */
  region: string;

  // Reads that may be shared or cached.
  snapshot(maxAgeSeconds: number): Promise<Snapshot>;
  flavors(engine: Engine, version: string): Promise<readonly Flavor[]>;
  /** Each argument is a name or an id. An unknown one is a UserError on that spec field. */
  network(wanted: { vpc: string; subnet: string; securityGroup: string }): Promise<Network>;
  securityGroup(nameOrId: string): Promise<string>;
  backupsLately(instanceId: string, maxAgeSeconds: number): Promise<readonly Backup[]>;
  parameters(instanceId: string, maxAgeSeconds: number): Promise<readonly Parameter[]>;

  // Fresh reads: never cached, never shared.
  findInstanceById(id: string): Promise<Fresh<Instance | undefined>>;
  findInstancesByName(name: string): Promise<Fresh<readonly Instance[]>>;
  findInstancesByNamePart(part: string): Promise<Fresh<readonly Instance[]>>;
  findJob(id: string): Promise<Job | undefined>;
  tasks(instanceId: string, sinceMs: number): Promise<readonly Task[]>;
  backups(instanceId: string): Promise<Fresh<readonly Backup[]>>;
  /** Spans of time that can be restored; undefined for an instance that is gone. */
  restoreRanges(instanceId: string): Promise<readonly { from: number; to: number }[] | undefined>;
  /** How many more instances the account may have; undefined when the cloud does not tell. */
  freeInstances(): Promise<number | undefined>;

  // Writes that must not be repeated.
  createInstance(wanted: NewInstance): Promise<{ id: string; jobId: string | undefined }>;
  deleteInstance(id: string): Promise<{ jobId: string | undefined }>;
  createBackup(wanted: { instanceId: string; name: string; description: string }): Promise<{ id: string }>;
  /** Manual ones only; the cloud refuses the others. */
  deleteBackup(id: string): Promise<void>;
  /** Puts the data of an instance back to a point in time: what was written since is lost. */
  restoreInPlace(id: string, time: number): Promise<{ jobId: string | undefined }>;
  restartInstance(id: string): Promise<{ jobId: string | undefined }>;
  createReplica(wanted: NewReplica): Promise<{ id: string; jobId: string | undefined }>;
  change(id: string, change: InstanceChange): Promise<{ jobId: string | undefined }>;
  resetPassword(id: string, password: string): Promise<void>;

  // Writes that are safe to repeat.
  tagInstance(id: string, tags: Record<string, string>): Promise<void>;
  untagInstance(id: string, keys: readonly string[]): Promise<void>;
  /** Returns only when the token is definitely dead (revoked now, or unknown to IAM). */
  revokeToken(token: string): Promise<void>;

  // Credentials for Jobs: asked for once, as a lost answer leaves one that nobody can revoke.
  issueKeys(actions: readonly string[], lifeSeconds: number): Promise<KeyAccess>;
  issueToken(): Promise<TokenAccess>;
} & Monitoring &
  Notifications;

/** Whether a read of what is shared would give the same again; asks nobody. */
export type Still = () => boolean;

/**
 * Opens a cloud for a set of credentials; token, limiter and snapshot are shared between openings. Everything that is read
 * through it is added to `noted`.
 */
export type OpenCloud = (credentials: Credentials, budget: Budget, noted?: Still[]) => Cloud;

type Whereabouts = { authUrl: string; rdsUrl: string; region: string; projectId: string };

/** Everything that a Job needs to call the cloud. */
export type KeyAccess = Whereabouts & {
  form: 'keys';
  accessKey: string;
  secretKey: string;
  securityToken: string;
  /** Epoch milliseconds. */
  expiresAt: number;
};
export type TokenAccess = Whereabouts & { form: 'token'; token: string };
export type JobAccess = KeyAccess | TokenAccess;

export type Credentials = {
  authUrl: string;
  region: string;
  projectName: string | undefined;
  projectId: string | undefined;
  domainName: string | undefined;
} & (
  | { kind: 'password'; username: string; password: string }
  | { kind: 'aksk'; accessKey: string; secretKey: string }
  | { kind: 'token'; token: string }
);
