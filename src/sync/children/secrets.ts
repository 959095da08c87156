// Secrets in `data`, never `stringData`: the API server would answer with another object than we sent, and
// server-side apply would never come to rest.

import { toBase64 } from '../../rds/base64.ts';
import {
  ANNOTATIONS,
  canNameService,
  connectionSecretName,
  rootSecretName,
  serviceName,
} from '../../rds/names.ts';
import type { EngineName } from '../../rds/spec.ts';
import type { ChildObject } from '../decide/observed.ts';
import { MANAGED_BY } from './labels.ts';
import type { Endpoint } from './service.ts';

export function encoded(values: Record<string, string>): Record<string, string> {
  const data: Record<string, string> = {};
  for (const key in values) data[key] = toBase64(values[key] ?? '');
  return data;
}

/** The generated root password; `mark` says which drawing it is. */
export function rootSecret(
  rds: { name: string; namespace: string },
  drawn: { password: string; mark: string },
): ChildObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: rootSecretName(rds.name),
      namespace: rds.namespace,
      labels: MANAGED_BY,
      annotations: { [ANNOTATIONS.draw]: drawn.mark },
    },
    type: 'Opaque',
    data: encoded({ password: drawn.password }),
  };
}

type Scheme = { type: string; uri: string; database: string; jdbc: (host: string, port: number) => string };

const SCHEMES: Record<EngineName, Scheme> = {
  MySQL: { type: 'mysql', uri: 'mysql', database: '', jdbc: (host, port) => `jdbc:mysql://${host}:${port}/` },
  PostgreSQL: {
    type: 'postgresql',
    uri: 'postgresql',
    database: 'postgres',
    jdbc: (host, port) => `jdbc:postgresql://${host}:${port}/postgres`,
  },
  SQLServer: {
    type: 'sqlserver',
    uri: 'sqlserver',
    database: '',
    jdbc: (host, port) => `jdbc:sqlserver://${host}:${port}`,
  },
};

export type Login = { engine: EngineName; username: string; password: string };

/** Everything an application needs, in the form that Service Binding tools read. */
export function connectionSecret({ name, namespace, ip, port }: Endpoint, login: Login): ChildObject {
  const scheme = SCHEMES[login.engine];
  const host = canNameService(name) ? `${serviceName(name)}.${namespace}.svc` : ip;
  const user = encodeURIComponent(login.username);
  const password = encodeURIComponent(login.password);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: connectionSecretName(name), namespace, labels: MANAGED_BY },
    type: `servicebinding.io/${scheme.type}`,
    data: encoded({
      type: scheme.type,
      provider: 'opentelekomcloud',
      host,
      ip,
      port: `${port}`,
      username: login.username,
      password: login.password,
      uri: `${scheme.uri}://${user}:${password}@${host}:${port}/${scheme.database}`,
      'jdbc-url': scheme.jdbc(host, port),
    }),
  };
}
