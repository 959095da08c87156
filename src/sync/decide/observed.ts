// Everything a decision may know, as data: decide has no clock, no randomness and no I/O of its own.

import type { Backup, Instance, Task } from '../../otc/cloud.ts';
import type { FullSpec } from '../../rds/defaults.ts';
import type { Journal, OpKind, Timing } from '../../rds/journal.ts';
import type { Rds } from '../../rds/object.ts';
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
    ownerReferences?: readonly { uid: string; controller?: boolean }[];
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

export type CloudView =
  /** From the shared snapshot or a read that others may share: good enough to report, not to write on. */
  | { kind: 'glance'; instance: Instance | undefined }
  /** Read for this very call; `at` is the cloud's clock. */
  | {
      kind: 'fresh';
      at: number;
      instance: Instance | undefined;
      /** Instances with our name, and before a first create also those that could be meant. */
      namesakes: readonly Instance[];
      backups: readonly Backup[] | undefined;
      tasks: readonly Task[] | undefined;
      /** Why the job behind a failed create failed. */
      failReason: string | undefined;
    }
  | { kind: 'failed'; failure: Failure }
  /** Nothing was asked (Retain without credentials, nothing ever claimed). */
  | { kind: 'unasked' };

export type RootPassword =
  | { from: 'spec'; value: string }
  /** `version` tells a changed Secret without keeping anything of its content. */
  | { from: 'secret'; value: string; version: string }
  /** `mark` tells which drawing the Secret comes from. */
  | { from: 'generated'; value: string; mark: string | undefined }
  | { from: 'generated'; value: undefined; mark: undefined }
  | { from: 'secret'; value: undefined; missing: string };

/** What this very call did, handed to a second decision that turns it into words. */
export type Acted = {
  kind: OpKind | 'tag' | 'untag' | 'prepare' | 'adopt';
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
  namespaceTerminating: boolean;
  crdTerminating: boolean;
  /** In case a password must be drawn. */
  draw: { password: string; mark: string };
  timing: Timing;
  acted?: Acted;
};
