// Who agrees on what, read from the annotations with the simplest reading there is: exact words, no wild cards. Shares
// no code with what it judges.

import type { KubeObject } from '../../src/kube/api.ts';
import { ANNOTATIONS, connectionSecretName, userSecretName } from '../../src/rds/names.ts';
import { annotationOf } from './cluster.ts';

const COPY_NAME = /^(team-[ab])\.((db\d)-(?:connection|u-.+))$/;

/** The source of a copy, from its name alone. */
export type Source = { namespace: string; rds: string; secret: string };

export const wordsOf = (value: string | undefined): string[] =>
  (value ?? '').split(',').flatMap((text) => text.trim() || []);

export function sourceOf(copy: string): Source | undefined {
  const [, namespace, secret, rds] = COPY_NAME.exec(copy) ?? [];
  return namespace && secret && rds ? { namespace, secret, rds } : undefined;
}

export function isAskedFor({ namespace, rds, secret }: Source, wishes: readonly string[]): boolean {
  const of = `${namespace}/${rds}`;
  const isConnection = secret === connectionSecretName(rds);
  return isConnection
    ? wishes.includes(of)
    : wishes.includes(`${of}/app`) || wishes.includes(`${of}/${secret}`);
}

export function isGivenTo(rds: KubeObject, namespace: string, { secret }: Source): boolean {
  const allowed = wordsOf(annotationOf(rds, ANNOTATIONS.shareWith));
  const isOfUser = secret === userSecretName(rds.metadata.name, 'app', '%');
  return allowed.includes(namespace) || (isOfUser && allowed.includes(`${namespace}/app`));
}

export const ownerOf = ({ metadata }: KubeObject) => metadata.ownerReferences?.[0];
/** Ours by its owner; everything else under such a name is somebody's own. */
export const isCopy = (secret: KubeObject): boolean => ownerOf(secret)?.kind === 'Namespace';
export const contentOf = ({ data }: KubeObject): string => JSON.stringify(data ?? {});
