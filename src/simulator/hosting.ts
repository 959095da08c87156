// The port to real databases. The core says what should be and asks how far it is; it never waits and never looks
// behind this type. Without a hosting, nothing real exists and the core is alone with its clock.
import type { Engine } from './rds/types.ts';

export type HostedInstance = {
  id: string;
  engine: Engine;
  ip: string;
  port: number;
  password: string;
  /** Clients get through to it. */
  isOpen: boolean;
  /** A replica shows the data of its primary. */
  replicaOf: string | undefined;
  /** The backup a new instance is filled from; '' when the moment asked for has none. */
  origin: string | undefined;
  /** A restore onto the instance, by the id of its job. */
  restore: { jobId: string; backupId: string } | undefined;
};

export type HostedBackup = {
  id: string;
  instanceId: string;
  /** To be taken now; an old one that is missing must not be made up from today's data. */
  isNew: boolean;
  /** Only these; all of the instance unless told. */
  databases: string[] | undefined;
};

/** All that should exist. What is not in it goes away. */
export type Wish = { instances: HostedInstance[]; backups: HostedBackup[] };

/** Something that takes real time: `build <instance>`, `restore <job>`, `backup <backup>`. */
export type TaskName = `build ${string}` | `restore ${string}` | `backup ${string}`;

export type Progress = { is: 'working' } | { is: 'done' } | { is: 'failed'; reason: string };

type Placed = { id: string; engine: Engine; ip: string; port: number; isReplica: boolean };

export type Hosting = {
  hosts(engine: Engine): boolean;
  /** Where a new instance will be reached, next to those that are there already. */
  place(
    wanted: { engine: Engine; port: number; isReplica: boolean },
    placed: readonly Placed[],
  ): { ip: string } | { problem: string };
  wish(wish: Wish): void;
  progressOf(task: TaskName): Progress;
  /** Resolves when small changes (passwords, open and closed ports) are made: no answer goes out before. */
  quiet(): Promise<void>;
};
