// Where the password of each declared user comes from, and which version of it is wanted.

import { ANNOTATIONS, userSecretName } from '../rds/names.ts';
import type { Rds } from '../rds/object.ts';
import { accountHost } from '../rds/sql-wish.ts';
import { relatedSecret, secretValues } from './credentials.ts';
import type { UserPassword } from './decide/observed.ts';
import type { View } from './request.ts';

type User = NonNullable<Rds['spec']['users']>[number];

/** The Secret of each user; on any engine host is part of the name, so that it never changes. */
export const userSecretNames = (rds: Rds): string[] =>
  (rds.spec.users ?? []).map((user) => userSecretName(rds.metadata.name, user.name, accountHost(user)));

export function userPasswords(
  view: View,
  draw: () => { password: string; mark: string },
): readonly UserPassword[] {
  const names = userSecretNames(view.rds);
  return (view.rds.spec.users ?? []).map((user, index) => {
    const secretName = names[index] ?? '';
    const published = publishedIn(view, secretName);
    const wanted = wantedPassword(view, user);
    if ('missing' in wanted) return { secretName, published, missing: wanted.missing };
    if (wanted.value === undefined)
      return published
        ? { secretName, published, value: published.password, version: published.mark }
        : { secretName, published, draw: draw() };
    // What is published already keeps its version: a Secret that was only touched is not a new password.
    const isSame = published?.password === wanted.value;
    return { secretName, published, value: wanted.value, version: isSame ? published.mark : wanted.version };
  });
}

function publishedIn(view: View, secretName: string): UserPassword['published'] {
  const child = view.children.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === secretName);
  const password = child && secretValues(child).password;
  return password ? { password, mark: child.metadata.annotations?.[ANNOTATIONS.draw] ?? '' } : undefined;
}

type Wanted = { value: string; version: string } | { value: undefined } | { missing: string };

function wantedPassword(view: View, user: User): Wanted {
  // Nothing of the password itself: the generation tells a changed spec.
  if (user.password !== undefined)
    return { value: user.password, version: `spec/${view.rds.metadata.generation}` };
  if (!user.passwordSecretRef) return { value: undefined };
  const { name, key } = user.passwordSecretRef;
  const secret = relatedSecret(view, name);
  const value = secret && secretValues(secret)[key];
  if (secret && value) return { value, version: `secret/${secret.metadata.resourceVersion ?? ''}` };
  return { missing: secret ? `Secret ${name} has no key ${key}` : `Secret ${name} does not exist` };
}
