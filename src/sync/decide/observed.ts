// Everything a decision may know, as data: decide has no clock, no randomness and no I/O of its own.

import type { Backup, Flavor, Instance, Parameter, Task } from '../../otc/cloud.ts';
import type { Meter } from '../../rds/autopilot.ts';
import type { FullSpec } from '../../rds/defaults.ts';
import type { DrillReport } from '../../rds/drill-wish.ts';
import type { Journal, OpKind, Timing } from '../../rds/journal.ts';
import type { CredentialForm } from '../../rds/log-order.ts';
import type { LogName } from '../../rds/log-report.ts';
import type { Rds } from '../../rds/object.ts';
import type { SqlReport } from '../../rds/sql-wish.ts';
import type { Problem } from '../../rds/validate.ts';

export type ChildObject = {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: readonly { uid: string; kind?: string; controller?: boolean }[];
    deletionTimestamp?: string;
  };
  [field: string]: unknown;
};

/** A failure of the cloud as a condition can tell it. */
export type Failure = {
  class: 'retryable' | 'terminal' | 'user';
  code: string;
  message: string;
  field?: string | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
};

/** What the list of instances does not tell, read only where the spec asks for it. */
export type Details = {
  /** The group that the spec names. */
  securityGroup?: { id: string } | { unknown: string };
  parameters?: readonly Parameter[];
  flavors?: readonly Flavor[];
  /** Alarms of the old operator, looked for where the instance has its name. */
  oldAlarms?: readonly { id: string; name: string; topicUrns: readonly string[] }[] | undefined;
  /** All backups, at most some hours old. */
  backups?: readonly Backup[];
  /** Read replicas that are ours or have the name of one of ours. */
  replicas?: readonly Instance[];
  /** What is needed by the autopilot, or to take away what it left. */
  watch?: WatchView | undefined;
};

export type Point = { at: number; value: number };

/** `changed`: not as it should be. `other`: it watches something else, which cannot be changed. */
export type SeenAlarm = {
  id: string;
  meter: Meter;
  state: 'ok' | 'alarm' | 'insufficient_data';
  fits: 'asWanted' | 'changed' | 'other';
};

export type WatchView = {
  /** The cloud's clock when the alarms were listed. */
  at: number;
  /** Those with a name of ours; of each meter the oldest first. */
  alarms: readonly SeenAlarm[];
  /** Of the address in the spec; undefined when it was not looked at. */
  subscription?: 'missing' | 'unconfirmed' | 'confirmed' | 'canceled' | 'unknown' | undefined;
  /** Data on disk in GB over the last days, some hours old at most. */
  usedGb?: readonly Point[] | undefined;
  /** Percent, over the time that must be quiet before a smaller machine is taken. */
  quiet?: Readonly<Record<'cpu' | 'memory', readonly Point[]>> | undefined;
  /** Of the last hour: percent, for the disk GB. Read only when something may have to be decided. */
  readings?: Readonly<Record<Meter, readonly Point[]>> | undefined;
  /** Why some of it could not be read; with `at` 0 nothing could. */
  failure?: Failure | undefined;
};

export type CloudView =
  /** From the shared snapshot or a read that others may share: good enough to report, not to write on. */
  | {
      kind: 'glance';
      /** The clock of the cloud, where the view has it. */
      at?: number | undefined;
      instance: Instance | undefined;
      details: Details;
    }
  /** Read for this very call; `at` is the cloud's clock. */
  | {
      kind: 'fresh';
      at: number;
      instance: Instance | undefined;
      details: Details;
      /** Instances with our name, and before a first create also those that could be meant. */
      namesakes: readonly Instance[];
      backups: readonly Backup[] | undefined;
      tasks: readonly Task[] | undefined;
      /** Spans that can be restored, looked up when a restore is wanted. */
      restoreRanges?: readonly { from: number; to: number }[] | undefined;
      /** Why the job behind a failed create failed. */
      failReason: string | undefined;
      /** Of the drill that runs: what has its id or its name, and why its build failed. */
      throwaways?: readonly Instance[] | undefined;
      throwawayFailure?: string | undefined;
    }
  | { kind: 'failed'; failure: Failure }
  /** Nothing was asked (Retain without credentials, nothing ever claimed). */
  | { kind: 'unasked' };

/** What spec.restoreFrom leads to. */
export type RestoreSource =
  | { instanceId: string; backupId: string }
  | { instanceId: string; time: number }
  | { missing: string };

export type RootPassword =
  | { from: 'spec'; value: string }
  /** `version` tells a changed Secret without keeping anything of its content. */
  | { from: 'secret'; value: string; version: string }
  /** `mark` tells which drawing the Secret comes from. */
  | { from: 'generated'; value: string; mark: string | undefined }
  | { from: 'generated'; value: undefined; mark: undefined }
  | { from: 'secret'; value: undefined; missing: string };

export type Drawn = { password: string; mark: string };

/** What the cluster keeps of a login that clients use. */
export type KeptLogin = {
  secretName: string;
  /** What this Secret holds now. */
  published: (Drawn & { username: string }) | undefined;
  /** Passwords that were drawn for the two logins, with the names of their Secrets. */
  drawings: readonly (Drawn & { name: string })[];
  /** In case another login has to be made. */
  spare?: Drawn;
};

/** The password of a declared user, in the order of the spec. */
export type UserPassword = KeptLogin & {
  value?: string;
  /** Tells one password from another; nothing of its content. */
  version?: string;
  missing?: string;
  /** None is given and none is kept yet: this one could be. */
  draw?: Drawn;
};

/** Just given out for a log Job: this call's answer is the only one that can hand it on. */
export type IssuedCredential = {
  name: string;
  form: CredentialForm;
  /** One for each container. */
  files: Record<LogName, string>;
  /** No Job works with it any longer than this. */
  untilMs: number;
};

/** What this very call did about logs. */
export type LogsDone = {
  issued?: IssuedCredential;
  /** Names of Secrets whose tokens are dead, and of those that could not be revoked now. */
  revoked: readonly string[];
  unrevoked: readonly string[];
  /** A live read still showed status.logs: true. */
  keptBoolean?: boolean;
  failure?: Failure;
};

/** What this very call did, handed to a second decision that turns it into words. */
export type Acted = {
  kind: OpKind | 'tag' | 'untag' | 'prepare' | 'adopt' | 'watch' | 'mark';
  result: 'done' | 'refused' | 'unknown';
  failure?: Failure;
};

export type Observed = {
  rds: Rds;
  spec: FullSpec;
  problems: readonly Problem[];
  userSet: ReadonlySet<string>;
  /** Our own clock; only for stamps that people read. */
  nowMs: number;
  journal: Journal | 'unread' | 'none' | { unavailable: string };
  cloud: CloudView;
  children: readonly ChildObject[];
  /** Objects of other owners that have the name of a child. */
  foreign: readonly ChildObject[];
  password: RootPassword;
  restoreSource: RestoreSource | undefined;
  namespaceTerminating: boolean;
  crdTerminating: boolean;
  /** In case a password must be drawn: the same one however often it is asked for in a call. */
  draw: () => Drawn;
  users?: readonly UserPassword[];
  /** The connection Secret, where its login is rotated. */
  administrator?: KeptLogin | undefined;
  /** A SQL Job that has ended and is not recorded, with its last words. */
  sqlJobEnd?: { name: string; report: SqlReport | undefined } | undefined;
  /** The same of the Job of a drill. */
  drillJobEnd?: { name: string; report: DrillReport | undefined } | undefined;
  /** undefined: this process cannot start Jobs. */
  jobImage?: string | undefined;
  timing: Timing;
  acted?: Acted;
  logs?: LogsDone;
};

/** What the request itself tells. */
export type Unseen = Omit<Observed, 'journal' | 'cloud'>;
