// Where the root password of an Rds comes from.

import { ANNOTATIONS, rootSecretName } from '../rds/names.ts';
import { relatedSecret, secretValue } from './credentials.ts';
import type { RootPassword } from './decide/observed.ts';
import type { View } from './request.ts';

export function rootPassword(view: View): RootPassword {
  const { password, passwordSecretRef } = view.rds.spec;
  if (password !== undefined) return { from: 'spec', value: password };
  if (passwordSecretRef) {
    const { name, key } = passwordSecretRef;
    const secret = relatedSecret(view, name);
    const value = secret && secretValue(secret, key);
    if (secret && value !== undefined && value !== '') {
      return { from: 'secret', value, version: secret.metadata.resourceVersion ?? '' };
    }
    const missing = secret
      ? `Secret ${name} has no key ${key}, named in spec.passwordSecretRef.`
      : `Secret ${name}, named in spec.passwordSecretRef, does not exist.`;
    return { from: 'secret', value: undefined, missing };
  }
  const child = view.children.find(
    ({ kind, metadata }) => kind === 'Secret' && metadata.name === rootSecretName(view.rds.metadata.name),
  );
  const value = child && secretValue(child, 'password');
  if (!child || value === undefined) return { from: 'generated', value: undefined, mark: undefined };
  return { from: 'generated', value, mark: child.metadata.annotations?.[ANNOTATIONS.draw] };
}
