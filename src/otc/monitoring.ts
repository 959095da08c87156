// What the loop can ask of Cloud Eye (CES) and of the message service (SMN).

import type { Fresh } from './fresh.ts';

/** `rds_cluster_id` and the id of an instance, for example. */
export type Dimension = { name: string; value: string };

export type Period = 1 | 300 | 1200 | 3600 | 14400 | 86400;

export type Filter = 'average' | 'max' | 'min' | 'sum' | 'variance';

export type MetricId = { metric: string; dimension: Dimension };

export type MetricQuery = {
  wanted: readonly MetricId[];
  fromMs: number;
  toMs: number;
  /** 1 = raw data, one a minute. */
  periodSeconds: Period;
  filter: Filter;
};

/** `points` is empty when nothing was reported. */
export type MetricSeries = MetricId & { unit: string; points: readonly { at: number; value: number }[] };

export type AlarmRule = MetricId & {
  /** Not unique in the cloud. */
  name: string;
  description: string;
  isEnabled: boolean;
  /** 1 critical, 2 major, 3 minor, 4 informational. */
  level: number;
  periodSeconds: number;
  filter: string;
  operator: string;
  threshold: number;
  unit: string;
  /** So many periods in a row. */
  count: number;
  /** An alarm that lasts is told again after this; 0 = once. */
  suppressSeconds: number;
  /** Topics that are told of the alarm and of its end; none = nobody is told. */
  topicUrns: readonly string[];
};

export type Alarm = AlarmRule & {
  id: string;
  state: 'ok' | 'alarm' | 'insufficient_data';
  changedAt: number;
};

/** All alarm rules on databases of the project, as of `at`; may be shared by many callers. */
export type AlarmSnapshot = {
  at: number;
  byId: ReadonlyMap<string, Alarm>;
  byName: ReadonlyMap<string, readonly Alarm[]>;
};

export type Subscription = {
  /** Its URN. */
  id: string;
  topicUrn: string;
  protocol: string;
  endpoint: string;
  status: 'unconfirmed' | 'confirmed' | 'canceled' | 'unknown';
};

/** The last `spanMs` of some metrics; `toMs` by the cloud's clock. */
export type LatelyQuery = Omit<MetricQuery, 'fromMs'> & { spanMs: number };

export type Monitoring = {
  /** Ten metrics a call; the answer has one series for each that was wanted, in that order. */
  metricData(query: MetricQuery): Promise<Fresh<readonly MetricSeries[]>>;
  /** The same, from a cache where that is young enough: for looks that many calls repeat. */
  metricsLately(query: LatelyQuery, maxAgeSeconds: number): Promise<readonly MetricSeries[]>;
  /** May be shared. A fresh one (age 0) is the only way to find out what a lost create did. */
  alarms(maxAgeSeconds: number): Promise<AlarmSnapshot>;

  /** A second call makes a second rule of the same name. */
  createAlarm(rule: AlarmRule): Promise<{ id: string }>;

  // Safe to repeat. What is gone already counts as deleted.
  updateAlarm(id: string, rule: AlarmRule): Promise<void>;
  enableAlarm(id: string, isEnabled: boolean): Promise<void>;
  deleteAlarm(id: string): Promise<void>;
};

/** Where the catalog says that SMN is, and whose topics are those of these credentials. */
export type MessageService = { url: string; region: string; projectId: string };

/** All of these are safe to repeat; what is gone already counts as deleted. */
export type Notifications = {
  messageService(): Promise<MessageService>;
  createTopic(name: string): Promise<{ urn: string }>;
  deleteTopic(urn: string): Promise<void>;
  subscriptions(topicUrn: string): Promise<Fresh<readonly Subscription[]>>;
  /** May be shared; undefined: there is no such topic. */
  subscriptionsLately(topicUrn: string, maxAgeSeconds: number): Promise<readonly Subscription[] | undefined>;
  /** An endpoint that has not confirmed yet is asked again. */
  subscribe(wanted: { topicUrn: string; endpoint: string }): Promise<{ urn: string }>;
  unsubscribe(urn: string): Promise<void>;
};
