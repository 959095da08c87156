// What the loop can ask of one project in the cloud. Wire names end in the sibling files; here and beyond
// everything is camelCase, with units in the names.

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

/** An answer that was read for this very call, with the cloud's own clock (its `Date` header, in ms). */
export type Fresh<T> = { value: T; at: number };

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
  // Reads that may be shared or cached.
  snapshot(maxAgeSeconds: number): Promise<Snapshot>;
  flavors(engine: Engine, version: string): Promise<readonly Flavor[]>;
  /** Each argument is a name or an id. An unknown one is a UserError on that spec field. */
  network(wanted: { vpc: string; subnet: string; securityGroup: string }): Promise<Network>;

  // Fresh reads: never cached, never shared.
  findInstanceById(id: string): Promise<Fresh<Instance | undefined>>;
  findInstancesByName(name: string): Promise<Fresh<readonly Instance[]>>;
  findInstancesByNamePart(part: string): Promise<Fresh<readonly Instance[]>>;
  findJob(id: string): Promise<Job | undefined>;
  tasks(instanceId: string, sinceMs: number): Promise<readonly Task[]>;
  backups(instanceId: string): Promise<Fresh<readonly Backup[]>>;

  // Writes that must not be repeated.
  createInstance(wanted: NewInstance): Promise<{ id: string; jobId: string | undefined }>;
  deleteInstance(id: string): Promise<{ jobId: string | undefined }>;
  createBackup(wanted: { instanceId: string; name: string; description: string }): Promise<{ id: string }>;
  restartInstance(id: string): Promise<{ jobId: string | undefined }>;
  /** `sizeGb` is the new total. */
  enlargeVolume(id: string, sizeGb: number): Promise<{ jobId: string | undefined }>;
  resizeFlavor(id: string, flavor: string): Promise<{ jobId: string | undefined }>;

  resetPassword(id: string, password: string): Promise<void>;

  // Writes that are safe to repeat.
  tagInstance(id: string, tags: Record<string, string>): Promise<void>;
  untagInstance(id: string, keys: readonly string[]): Promise<void>;
  /** Returns only when the token is definitely dead (revoked now, or unknown to IAM). */
  revokeToken(token: string): Promise<void>;
};

/** Opens a cloud for a set of credentials; token, limiter and snapshot are shared between openings. */
export type OpenCloud = (credentials: Credentials, budget: Budget) => Cloud;

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
