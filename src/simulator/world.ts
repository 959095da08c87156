// Everything the simulated cloud remembers: plain data, so that saving it is JSON and comparing it is easy.
import type { Alarm, AlarmRecord } from './ces/types.ts';
import type { AccessKey, Token, UserState } from './iam/types.ts';
import type { Backup, Effect, Instance, Job, Template } from './rds/types.ts';
import type { SimulatorRequest } from './request.ts';
import type { Message, Subscription, Topic } from './smn/types.ts';

export type Pending = { at: number; order: number } & (
  | { kind: 'effect'; instanceId: string; effect: Effect }
  | { kind: 'request'; request: SimulatorRequest }
  | { kind: 'disk-filled'; instanceId: string }
  /** The end of a period of alarm rules. */
  | { kind: 'evaluation' }
  | { kind: 'delivery'; messageId: string }
);

/** What really happened, whatever the caller was told. */
export type WorldEvent = { at: number; kind: string; instanceId: string; name: string };

export type World = {
  random: number;
  order: number;
  tokens: Record<string, Token>;
  accessKeys: Record<string, AccessKey>;
  userState: UserState;
  instances: Record<string, Instance>;
  /** Deleted instances: the recycle bin, and what a lagging list still shows. */
  deleted: Record<string, Instance & { deletedAt: number; isRecycled: boolean }>;
  backups: Record<string, Backup>;
  jobs: Record<string, Job>;
  templates: Record<string, Template>;
  alarms: Record<string, Alarm>;
  /** Changes of alarms, oldest first. */
  alarmRecords: AlarmRecord[];
  topics: Record<string, Topic>;
  subscriptions: Record<string, Subscription>;
  messages: Record<string, Message>;
  recycleDays: number;
  sweptAt: number;
  pending: Pending[];
  events: WorldEvent[];
  calls: Record<string, Record<string, number>>;
};

/** Without a prototype: keys come from callers, and `constructor` must not be found. */
const table = <T>(rows: Record<string, T> = {}): Record<string, T> =>
  Object.assign(Object.create(null), rows);

export const newWorld = (seed: number): World => ({
  random: seed | 0,
  order: 0,
  tokens: table(),
  accessKeys: table(),
  userState: 'active',
  instances: table(),
  deleted: table(),
  backups: table(),
  jobs: table(),
  templates: table(),
  alarms: table(),
  alarmRecords: [],
  topics: table(),
  subscriptions: table(),
  messages: table(),
  recycleDays: 7,
  sweptAt: 0,
  pending: [],
  events: [],
  calls: {},
});

/** A world as it comes out of JSON, made fit for use. */
export const revived = (world: World): World => ({
  ...world,
  tokens: table(world.tokens),
  accessKeys: table(world.accessKeys),
  // Absent in files of before these fields.
  userState: world.userState ?? 'active',
  alarms: table(world.alarms),
  alarmRecords: world.alarmRecords ?? [],
  topics: table(world.topics),
  subscriptions: table(world.subscriptions),
  messages: table(world.messages),
  instances: table(world.instances),
  deleted: table(world.deleted),
  backups: table(world.backups),
  jobs: table(world.jobs),
  templates: table(world.templates),
});

export const cloneOf = <T>(value: T): T => JSON.parse(JSON.stringify(value));

const MAX_EVENTS = 20_000;

export function note(world: World, event: WorldEvent): void {
  world.events.push(event);
  if (world.events.length > MAX_EVENTS) world.events.splice(0, world.events.length - MAX_EVENTS);
}

type Due = Pending extends infer P ? (P extends Pending ? Omit<P, 'order'> : never) : never;

/** Keeps `pending` sorted by time, then by order of arrival. */
export function schedule(world: World, due: Due): void {
  const item = { ...due, order: world.order++ } as Pending;
  let index = world.pending.length;
  while (index > 0 && (world.pending[index - 1]?.at ?? 0) > item.at) index--;
  world.pending.splice(index, 0, item);
}
