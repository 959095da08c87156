// What the loop needs from outside, so that tests, the simulation and the server can each hand in their own.

import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { KeepEvidence } from '../kube/evidence.ts';
import type { ReadJobMessages } from '../kube/job-messages.ts';
import type { JournalStore } from '../kube/journal.ts';
import type { ReadLive, ReadLiveBackup, ReadLiveNamespace } from '../kube/live.ts';
import type { OwnerLeases } from '../kube/owner-lease.ts';
import type { ReadSecretOwners } from '../kube/secret-owner.ts';
import type { Credentials, OpenCloud } from '../otc/cloud.ts';
import type { Timing } from '../rds/journal.ts';
import type { HookAnswer } from './answer.ts';
import type { Observed } from './decide/observed.ts';
import type { PlannedEvent } from './events.ts';
import type { View } from './request.ts';

export type SyncDeps = {
  clock: Clock;
  openCloud: OpenCloud;
  /** undefined: every Rds must bring its own. */
  defaultCredentials: Credentials | undefined;
  readCredentials: (values: Record<string, string | undefined>) => Credentials;
  journal: JournalStore;
  ownerLeases: OwnerLeases;
  readLive: ReadLive;
  readLiveBackup: ReadLiveBackup;
  /** Image of Jobs; without it none is started. */
  jobImage?: string;
  /** undefined: there is no API server to ask. */
  readJobMessages?: ReadJobMessages;
  /** undefined: there is no API server to ask. */
  readSecretOwners?: ReadSecretOwners;
  /** undefined: there is no API server to ask. */
  readLiveNamespace?: ReadLiveNamespace;
  timing: Timing;
  draw: () => { password: string; mark: string };
  /** Nothing is created for an Rds older than this before the settle time is over (no API server: C14). */
  memorySince: number | undefined;
  publish: (events: readonly PlannedEvent[]) => void;
  keepEvidence: KeepEvidence;
  /** Told of every decision of the autopilot, for metrics. */
  decided?: (what: string) => void;
  /** Told of every answer, for metrics. */
  synced?: (view: View, observed: Observed, answer: HookAnswer) => void;
  /** Told when the last answer was given again. */
  syncedAgain?: (uid: string) => void;
  log: Logger;
};
