// One Secret per declared user, in the form that Service Binding tools read.

import { NEXT_PART, PART, USER_PART } from '../../rds/job-state.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import type { ChildObject } from '../decide/observed.ts';
import { MANAGED_BY } from './labels.ts';
import { connectionSecret, encoded, type Login } from './secrets.ts';
import type { Endpoint } from './service.ts';

export type UserSecretWish = {
  name: string;
  /** The account as status names it. */
  account: string;
  /** Which version of the password this is. */
  mark: string;
  login: Login;
  /** The one database of this user, if there is just one. */
  database: string | undefined;
};

/** A password for a login that is to be made; it has to be kept before it is used. */
export type Drawing = { name: string; account: string; mark: string; password: string };

const SCHEME: Record<string, string> = { MySQL: 'mysql', PostgreSQL: 'postgresql' };

export function userSecret(endpoint: Endpoint, wish: UserSecretWish): ChildObject {
  const base = connectionSecret(endpoint, wish.login);
  const data = base.data as Record<string, string>;
  return {
    ...base,
    metadata: {
      name: wish.name,
      namespace: endpoint.namespace,
      labels: { ...MANAGED_BY, [PART]: USER_PART },
      annotations: { [ANNOTATIONS.draw]: wish.mark, [ANNOTATIONS.account]: wish.account },
    },
    data: wish.database === undefined ? data : { ...data, ...inDatabase(data, wish, wish.database) },
  };
}

/** A drawn password, for the Job that makes it work and for whoever has to publish it again. */
export function drawingSecret(rds: { namespace: string }, drawing: Drawing): ChildObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: drawing.name,
      namespace: rds.namespace,
      labels: { ...MANAGED_BY, [PART]: NEXT_PART },
      annotations: { [ANNOTATIONS.draw]: drawing.mark, [ANNOTATIONS.account]: drawing.account },
    },
    type: 'Opaque',
    data: encoded({ password: drawing.password }),
  };
}

function inDatabase(
  data: Record<string, string>,
  { login }: UserSecretWish,
  database: string,
): Record<string, string> {
  const host = atob(data.host ?? '');
  const port = atob(data.port ?? '');
  const scheme = SCHEME[login.engine] ?? '';
  const [user, password, name] = [login.username, login.password, database].map(encodeURIComponent);
  return encoded({
    database,
    uri: `${scheme}://${user}:${password}@${host}:${port}/${name}`,
    'jdbc-url': `jdbc:${scheme}://${host}:${port}/${name}`,
  });
}
