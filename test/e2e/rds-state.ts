// Whether a stored Rds is in the state that a step waits for; the answer names what is not.
import { loginLines, type RdsObject } from './history.ts';
import type { RdsState } from './scenario.ts';

const idIsRight = (
  wanted: RdsState['id'],
  id: string | undefined,
  remembered: string | undefined,
): boolean => {
  switch (wanted) {
    case undefined:
      return true;
    case 'set':
      return id !== undefined;
    case 'unset':
      return id === undefined;
    case 'same':
      return id !== undefined && id === remembered;
    case 'other':
      return id !== undefined && id !== remembered;
  }
};

export function differences(object: RdsObject, wanted: RdsState, remembered: string | undefined): string[] {
  const status = (object.status ?? {}) as NonNullable<RdsObject['status']> & {
    ip?: string;
    volumeGb?: number;
  };
  const { generation, finalizers = [] } = object.metadata;
  const told = (status.conditions ?? []).map(
    ({ type, status: value, reason }) => `${type}=${value}/${reason}`,
  );
  const { conditions = [], handled = {}, logins = [] } = wanted;
  const accounts = loginLines(object);
  const checks: [isRight: boolean, otherwise: string][] = [
    [wanted.phase === undefined || wanted.phase === status.phase, `phase ${status.phase}`],
    [wanted.generation === undefined || wanted.generation === generation, `generation ${generation}`],
    [wanted.finalizer === undefined || wanted.finalizer === finalizers.length > 0, 'finalizer'],
    [wanted.volumeGb === undefined || wanted.volumeGb === status.volumeGb, `${status.volumeGb} GB`],
    [!wanted.ip || status.ip !== undefined, 'no ip'],
    [idIsRight(wanted.id, status.id, remembered), `id ${status.id}, not ${wanted.id}`],
    ...conditions.map((one): [boolean, string] => [
      told.some((each) => each.startsWith(one)),
      `no ${one} in ${told.join(' ')}`,
    ]),
    ...logins.map((one): [boolean, string] => [
      accounts.includes(one),
      `no ${one} in ${accounts.join(', ')}`,
    ]),
    ...Object.entries(handled).map(([key, value]): [boolean, string] => [
      status.handled?.[key] === value,
      `handled ${JSON.stringify(status.handled)}`,
    ]),
  ];
  return checks.filter(([isRight]) => !isRight).map(([, otherwise]) => otherwise);
}
