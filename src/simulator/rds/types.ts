// The databases of the simulated cloud as they are kept, not as they are shown (see wire.ts for that).
import type { LoadPhase } from './load-phase.ts';

export type Engine = 'MySQL' | 'PostgreSQL' | 'SQLServer';

export type OperationKind =
  | 'create'
  | 'restart'
  | 'resize'
  | 'enlarge'
  | 'single-to-ha'
  | 'change-volume'
  | 'failover'
  | 'migrate'
  | 'start'
  | 'stop'
  | 'port'
  | 'ip'
  | 'upgrade'
  | 'major-upgrade'
  | 'backup'
  | 'restore'
  | 'dns'
  | 'delete';

export type Node = { id: string; name: string; role: 'master' | 'slave' | 'readreplica'; zone: string };

export type Tag = { key: string; value: string };

export type Instance = {
  id: string;
  projectId: string;
  name: string;
  alias: string;
  status: string;
  type: 'Single' | 'Ha' | 'Replica';
  engine: Engine;
  version: string;
  completeVersion: string;
  replicationMode: string | undefined;
  strategy: string;
  port: number;
  flavor: string;
  volumeType: string;
  volumeGb: number;
  region: string;
  vpcId: string;
  subnetId: string;
  securityGroupId: string;
  /** Given at creation, shown once built. */
  ip: string;
  publicIp: string | undefined;
  dnsName: string | undefined;
  password: string;
  createdAt: number;
  updatedAt: number;
  builtAt: number | undefined;
  stoppedAt: number | undefined;
  /** Lists show it from this moment on. */
  visibleAt: number;
  backupWindow: string;
  backupKeepDays: number;
  backupPeriod: string;
  maintenanceWindow: string;
  ssl: boolean;
  nodes: Node[];
  replicaOf: string | undefined;
  tags: Tag[];
  timeZone: string;
  collation: string;
  diskEncryptionId: string;
  parameters: Record<string, string>;
  needsRestart: boolean;
  autoExpansion: { isOn: boolean; limitGb: number; triggerPercent: number };
  /** Percent, as set from outside; null means the curve. */
  load: { cpu: number | null; mem: number | null; disk: number | null };
  /** What its load was when; from the moment it was built. */
  phases?: LoadPhase[];
  /** Where the data came from, for restored instances. */
  restoredFrom: { instanceId: string; backupId?: string; time?: number } | undefined;
  operation: { kind: OperationKind; jobId: string; since: number } | undefined;
  /** Switching TLS shows no status, yet refuses a port change and a delete for a while. */
  sslBusyUntil: number | undefined;
  upgradeCheck: { target: string; at: number } | undefined;
  upgrades: { target: string; from: string; startedAt: number; endedAt: number | undefined }[];
  /** A real database stands behind it. */
  isReal?: boolean;
};

export type Backup = {
  id: string;
  projectId: string;
  instanceId: string;
  name: string;
  description: string;
  type: 'manual' | 'auto';
  status: 'BUILDING' | 'COMPLETED' | 'FAILED' | 'DELETING';
  sizeKb: number;
  beginAt: number;
  endAt: number | undefined;
  databases: string[] | undefined;
  /** There is a dump of a real database. */
  isReal?: boolean;
  /** What a restore must fit; the instance itself may be gone by then. */
  source: { engine: Engine; version: string; volumeGb: number; volumeType: string; instanceName: string };
};

export type Job = {
  id: string;
  projectId: string;
  name: string;
  instanceId: string;
  instanceName: string;
  startedAt: number;
  endsAt: number;
  failReason: string | undefined;
  entities: Record<string, unknown>;
};

/** A parameter template made by the user. */
export type Template = {
  id: string;
  projectId: string;
  name: string;
  description: string;
  engine: Engine;
  version: string;
  values: Record<string, string>;
  createdAt: number;
  updatedAt: number;
};

/** What an operation does when its time has come. Data, so that it survives save and load. */
export type Effect =
  | { do: 'built' }
  | { do: 'build-failed' }
  | { do: 'enlarged'; sizeGb: number }
  | { do: 'resized'; flavor: string }
  | { do: 'restarted' }
  | { do: 'made-ha'; zone: string; nodeId: string }
  | { do: 'volume-changed'; volumeType: string }
  | { do: 'failed-over' }
  | { do: 'migrated'; nodeId: string; zone: string }
  | { do: 'started' }
  | { do: 'stopped' }
  | { do: 'port-changed'; port: number }
  | { do: 'ip-changed'; ip: string }
  | { do: 'ssl-changed'; ssl: boolean }
  | { do: 'dns-changed'; dnsName: string }
  | { do: 'upgraded'; completeVersion: string }
  | { do: 'major-upgraded'; version: string }
  | { do: 'restored' }
  | { do: 'restore-failed' }
  | { do: 'backed-up'; backupId: string; isFailed: boolean }
  | { do: 'backup-removed'; backupId: string }
  | { do: 'automated-backup' }
  | { do: 'started-by-itself'; stoppedAt: number }
  | { do: 'deleted' };
