// What happened in one namespace, in words that two engines can share: no UIDs, times, versions or repetitions.
import type { KubeObject } from '../../src/kube/api.ts';
import type { HookAnswer, HookCall } from './recorder.ts';

type Condition = { type: string; status: string; reason: string };
export type RdsObject = KubeObject & {
  status?: {
    phase?: string;
    id?: string;
    conditions?: Condition[];
    handled?: Record<string, string>;
    logins?: { user: string; number: number; state: string }[];
  };
};

/** Lines by subject, e.g. `calls shop`, `Rds shop`, `Secret shop-root`, `events shop`. */
export type History = Record<string, string[]>;

const keysOf = (objects: HookCall['body']['children'] = {}): string =>
  Object.entries(objects)
    .flatMap(([kind, byName]) =>
      Object.keys(byName).map((name) => `${kind.split('.')[0]} ${name.split('/').at(-1)}`),
    )
    .sort()
    .join(', ');

const answered = (answer: HookAnswer | undefined): string => {
  if (!answer) return '';
  if (answer.relatedResources) return ` ${answer.relatedResources.length} rules`;
  const { phase, id, conditions = [] } = (answer.status ?? {}) as NonNullable<RdsObject['status']>;
  const ready = conditions.find(({ type }) => type === 'Ready');
  const children = (answer.children ?? []).map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
  return ` ${phase ?? '-'}/${ready?.reason ?? '-'} id=${id ? 'yes' : 'no'} [${children.join(', ')}]${answer.finalized ? ' finalized' : ''}`;
};

export function callLine({ hook, body, code, answer }: HookCall): string {
  const { metadata, status } = body.parent as RdsObject;
  const shown = `gen=${metadata.generation} ${status?.phase ?? '-'} id=${status?.id ? 'yes' : 'no'}`;
  const deleting = metadata.deletionTimestamp ? ' deleting' : '';
  const children = hook === 'customize' ? '' : ` [${keysOf(body.children)}]`;
  return `${hook} ${shown}${deleting}${children} -> ${code ?? 0}${answered(code === 200 ? answer : undefined)}`;
}

export function rdsLine({ metadata, status }: RdsObject): string {
  const conditions = (status?.conditions ?? []).map(
    ({ type, status: value, reason }) => `${type}=${value}/${reason}`,
  );
  return [
    `gen=${metadata.generation}`,
    metadata.finalizers?.length ? 'finalizer' : 'no-finalizer',
    ...(metadata.deletionTimestamp ? ['deleting'] : []),
    status?.phase ?? '-',
    `id=${status?.id ? 'yes' : 'no'}`,
    ...conditions.sort(),
  ].join(' ');
}

/** Where the login of each account stands. */
export const loginLines = ({ status }: RdsObject): string[] =>
  (status?.logins ?? []).map(({ user, number, state }) => `${user} #${number} ${state}`);

export const backupLine = ({ metadata, status }: RdsObject): string =>
  `${metadata.deletionTimestamp ? 'deleting ' : ''}${status?.phase ?? '-'} id=${status?.id ? 'yes' : 'no'}`;

/** Each line once, where it first appeared: how often a state was visited is a matter of timing. */
export const firstSeen = (lines: readonly string[]): string[] => [...new Set(lines)];
