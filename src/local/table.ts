// The live table of `make run`: one line for each Rds and RdsBackup, with what happens to it and for how long.

import type { KubeObject } from '../kube/api.ts';
import { isRecord, type JsonRecord } from './json.ts';

const tableHeader = [
  'NAMESPACE',
  'NAME',
  'READY',
  'PHASE',
  'STATUS',
  'ENGINE',
  'FLAVOR',
  'VOLUME',
  'IP',
  'MESSAGE',
] as const;

export type Row = string[];

export type RowOptions = {
  /** Milliseconds since the epoch. */
  now: number;
  /** Show how long an operation runs; off where every redraw would be a new line. */
  ages: boolean;
};

const none = '-';
const section = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

/** Text from the cloud must not steer the terminal. */
const cell = (value: unknown): string =>
  value === undefined || value === null || value === ''
    ? none
    : String(value)
        .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
        .trim();

export const tableRows = (objects: readonly KubeObject[], options: RowOptions): Row[] =>
  [...objects].sort(byName).map((object) => rowOf(object, options));

const nameOf = (object: KubeObject): string => `${object.metadata.namespace}/${object.metadata.name}`;
const byName = (left: KubeObject, right: KubeObject): number => (nameOf(left) < nameOf(right) ? -1 : 1);

const rowOf = (object: KubeObject, options: RowOptions): Row => {
  const spec = section(object.spec);
  const status = section(object.status);
  const gb = status.volumeGb ?? spec.volumesize;
  const engine = [spec.datastoretype, status.engineVersion ?? spec.datastoreversion]
    .filter(Boolean)
    .join(' ');
  return [
    object.metadata.namespace,
    object.kind === 'Rds' ? object.metadata.name : `${object.kind.toLowerCase()}/${object.metadata.name}`,
    conditionOf(status, 'Ready')?.status,
    object.metadata.deletionTimestamp ? (status.phase ?? 'Deleting') : status.phase,
    status.status,
    engine,
    status.flavor ?? spec.flavorref,
    gb === undefined ? undefined : `${gb} GB`,
    status.ip,
    messageOf(status, options),
  ].map(cell);
};

const conditionOf = (status: JsonRecord, type: string): JsonRecord | undefined =>
  (Array.isArray(status.conditions) ? status.conditions : [])
    .filter(isRecord)
    .find((condition) => condition.type === type);

const messageOf = (status: JsonRecord, options: RowOptions): string => {
  const operation = section(status.operation);
  const ready = conditionOf(status, 'Ready');
  const why = ready && ready.status !== 'True' ? ready.message : undefined;
  const parts = [operation.kind ? progressOf(operation, options) : undefined, why];
  return parts.filter(Boolean).join(': ');
};

const progressOf = (operation: JsonRecord, { now, ages }: RowOptions): string => {
  const startedMs = Date.parse(String(operation.startedAt));
  const age = ages && !Number.isNaN(startedMs) ? ` for ${formatAge(now - startedMs)}` : '';
  const percent = typeof operation.progressPercent === 'number' ? ` ${operation.progressPercent} %` : '';
  return `${operation.kind}${percent}${age}`;
};

/** `45s`, `3m10s`, `2h5m`, `4d3h`. */
export const formatAge = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const units: [number, string][] = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'm'],
    [1, 's'],
  ];
  const first = units.findIndex(([size]) => seconds >= size);
  if (first < 0) return '0s';
  let rest = seconds;
  let text = '';
  for (const [size, unit] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) text += `${count}${unit}`;
  }
  return text;
};

export type Format = {
  /** Width of the terminal; longer lines are cut. */
  columns?: number | undefined;
  color?: boolean;
};

export const formatTable = (rows: readonly Row[], format: Format = {}): string[] => {
  const all = [[...tableHeader], ...rows];
  const widths = tableHeader.map((_name, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row, index) => {
    const text = row
      .map((value, column) => value.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
    const line =
      format.columns && text.length > format.columns ? `${text.slice(0, format.columns - 1)}…` : text;
    return format.color && index > 0 ? `${colorOf(row)}${line}\u001b[0m` : line;
  });
};

const colorOf = (row: Row): string => {
  const [, , ready, phase] = row;
  if (ready === 'True') return '\u001b[32m';
  return phase === 'Failed' ? '\u001b[31m' : '\u001b[33m';
};
