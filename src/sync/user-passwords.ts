// Where the password of each declared user comes from, and which version of it is wanted.

import { ANNOTATIONS, connectionSecretName, drawingName, userSecretName } from '../rds/names.ts';
import type { Rds } from '../rds/object.ts';
import { ROOT_ACCOUNT } from '../rds/rotation.ts';
import { accountHost } from '../rds/sql-wish.ts';
import { relatedSecret, secretValue } from './credentials.ts';
import type { Drawn, KeptLogin, UserPassword } from './decide/observed.ts';
import type { View } from './request.ts';

type User = NonNullable<Rds['spec']['users']>[number];

/** The Secret of each user; on any engine host is part of the name, so that it never changes. */
export const userSecretNames = (rds: Rds): string[] =>
  (rds.spec.users ?? []).map((user) => userSecretName(rds.metadata.name, user.name, accountHost(user)));

/** Names that only rotation needs. */
export function drawingSecretNames(rds: Rds): string[] {
  const names = userSecretNames(rds).filter(
    (_name, index) => rds.spec.users?.[index]?.rotateEvery !== undefined,
  );
  if (rds.spec.rootRotateEvery !== undefined) names.push(connectionSecretName(rds.metadata.name));
  return names.flatMap(drawingNames);
}

export function userPasswords(view: View, draw: () => Drawn): readonly UserPassword[] {
  const names = userSecretNames(view.rds);
  return (view.rds.spec.users ?? []).map((user, index) => {
    const kept = keptLogin(view, names[index] ?? '', user.rotateEvery === undefined ? undefined : draw);
    const { published } = kept;
    const wanted = wantedPassword(view, user);
    if ('missing' in wanted) return { ...kept, missing: wanted.missing };
    if (wanted.value === undefined)
      return published
        ? { ...kept, value: published.password, version: published.mark }
        : { ...kept, draw: draw() };
    // What is published already keeps its version: a Secret that was only touched is not a new password.
    const isSame = published?.password === wanted.value;
    return { ...kept, value: wanted.value, version: isSame ? published.mark : wanted.version };
  });
}

/** The login of the connection Secret, if it takes turns with others. */
export function administratorLogin(view: View, draw: () => Drawn): KeptLogin | undefined {
  const { rds } = view;
  const name = connectionSecretName(rds.metadata.name);
  const isKnown = rds.status?.logins?.some(({ user }) => user === ROOT_ACCOUNT) === true;
  const connection = view.children.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
  // A status that was lost must not bring root back to clients.
  const wasRotated = isKnown || connection?.metadata.annotations?.[ANNOTATIONS.rootVersion] !== undefined;
  return rds.spec.rootRotateEvery === undefined && !wasRotated ? undefined : keptLogin(view, name, draw);
}

const drawingNames = (secretName: string): string[] =>
  (['first', 'second'] as const).map((slot) => drawingName(secretName, slot));

function keptLogin(view: View, secretName: string, draw: (() => Drawn) | undefined): KeptLogin {
  const held = drawnIn(view, secretName);
  return {
    secretName,
    published: held && { ...held, username: held.username ?? '' },
    drawings: drawingNames(secretName).flatMap((name) => {
      const drawn = drawnIn(view, name);
      return drawn ? [{ ...drawn, name }] : [];
    }),
    ...(draw ? { spare: draw() } : {}),
  };
}

function drawnIn(view: View, secretName: string): (Drawn & { username?: string }) | undefined {
  const child = view.children.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === secretName);
  const password = child && secretValue(child, 'password');
  if (!child || !password) return undefined;
  const username = secretValue(child, 'username');
  const mark = child.metadata.annotations?.[ANNOTATIONS.draw] ?? '';
  return { password, mark, ...(username === undefined ? {} : { username }) };
}

type Wanted = { value: string; version: string } | { value: undefined } | { missing: string };

function wantedPassword(view: View, user: User): Wanted {
  // Nothing of the password itself: the generation tells a changed spec.
  if (user.password !== undefined)
    return { value: user.password, version: `spec/${view.rds.metadata.generation}` };
  if (!user.passwordSecretRef) return { value: undefined };
  const { name, key } = user.passwordSecretRef;
  const secret = relatedSecret(view, name);
  const value = secret && secretValue(secret, key);
  if (secret && value) return { value, version: `secret/${secret.metadata.resourceVersion ?? ''}` };
  return { missing: secret ? `Secret ${name} has no key ${key}` : `Secret ${name} does not exist` };
}
