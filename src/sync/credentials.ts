// Whose cloud an Rds lives in: its own Secret, the namespace's `otc-credentials`, or the operator's default.

import { TerminalError } from '../errors.ts';
import type { Credentials } from '../otc/cloud.ts';
import type { ChildObject } from './decide/observed.ts';
import type { SyncDeps } from './deps.ts';

/** An Rds or an RdsBackup, as far as its Secrets go. */
type Holder = {
  rds: { metadata: { namespace: string }; spec: { credentialsSecretRef?: { name: string } } };
  related: readonly ChildObject[];
};

export const NAMESPACE_CREDENTIALS = 'otc-credentials';

const decoded = new WeakMap<object, Record<string, string>>();

export function secretValue(secret: ChildObject, key: string): string | undefined {
  const value = (secret.data as Record<string, string> | undefined)?.[key];
  return value === undefined ? undefined : decode(value);
}

const decode = (value: string): string => Buffer.from(value, 'base64').toString('utf8');

/** Asked several times for each call: decoded once. */
export function secretValues(secret: ChildObject): Readonly<Record<string, string>> {
  const data = (secret.data ?? {}) as Record<string, string>;
  const known = decoded.get(data);
  if (known) return known;
  const values = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)]));
  decoded.set(data, values);
  return values;
}

export function relatedSecret(view: Holder, name: string): ChildObject | undefined {
  return view.related.find(
    ({ kind, metadata }) =>
      kind === 'Secret' &&
      metadata.name === name &&
      (metadata.namespace ?? view.rds.metadata.namespace) === view.rds.metadata.namespace,
  );
}

export function credentialsFor(
  deps: Pick<SyncDeps, 'defaultCredentials' | 'readCredentials'>,
  view: Holder,
): Credentials {
  const named = view.rds.spec.credentialsSecretRef?.name;
  const secret = relatedSecret(view, named ?? NAMESPACE_CREDENTIALS);
  if (!secret) {
    if (named !== undefined)
      throw invalid(`Secret ${named}, named in spec.credentialsSecretRef, does not exist`);
    if (!deps.defaultCredentials)
      throw invalid(
        `no default credentials are configured and the namespace has no Secret ${NAMESPACE_CREDENTIALS}`,
      );
    return deps.defaultCredentials;
  }
  try {
    return deps.readCredentials(secretValues(secret));
  } catch (error) {
    throw invalid(`Secret ${secret.metadata.name}: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

function invalid(message: string): TerminalError {
  return new TerminalError(message, { code: 'CREDENTIALS', outcome: 'refused' });
}
