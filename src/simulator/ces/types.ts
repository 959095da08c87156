// Alarm rules and what became of them, as they are kept.

export const ALARM_STATES = ['ok', 'alarm', 'insufficient_data'] as const;
export type AlarmState = (typeof ALARM_STATES)[number];

export const FILTERS = ['average', 'max', 'min', 'sum', 'variance'] as const;
export type Filter = (typeof FILTERS)[number];

export const OPERATORS = ['>', '=', '<', '>=', '<=', '!='] as const;
export type Operator = (typeof OPERATORS)[number];

export type Dimension = { name: string; value: string };

export type Metric = { namespace: string; name: string; dimensions: Dimension[] };

export type Condition = {
  /** Seconds; 0 = events, 1 = raw data. */
  period: number;
  filter: Filter;
  operator: Operator;
  value: number;
  unit: string;
  count: number;
  suppressSeconds: number;
};

export type AlarmAction = { type: string; notificationList: string[] };

export type Alarm = {
  id: string;
  projectId: string;
  name: string;
  description: string;
  type: string;
  isEnabled: boolean;
  hasActions: boolean;
  level: number;
  metric: Metric;
  condition: Condition;
  alarmActions: AlarmAction[];
  okActions: AlarmAction[];
  state: AlarmState;
  changedAt: number;
  /** When the alarm that lasts was last told about. */
  toldAt: number | undefined;
};

export type AlarmRecord = {
  alarmId: string;
  projectId: string;
  name: string;
  level: number;
  state: AlarmState;
  at: number;
};
