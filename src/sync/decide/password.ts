// The root password in the cloud against the one that is wanted. What was published in the connection Secret
// is what clients use, so a new password is published only after the cloud has it.

import { fromBase64 } from '../../rds/base64.ts';
import { ANNOTATIONS, connectionSecretName } from '../../rds/names.ts';
import type { ChildObject, Observed } from './observed.ts';

/** Names the version of the password's source; a changed Secret shows as another version. */
export function passwordVersion(o: Observed): string {
  const { password } = o;
  if (password.from === 'secret') return `secret/${'version' in password ? password.version : ''}`;
  if (password.from === 'generated') return `drawn/${password.mark ?? ''}`;
  return `spec/${o.rds.metadata.generation}`;
}

/** `reset`: the cloud has another one. `unsure`: only the journal can tell. */
export function passwordState(o: Observed): 'same' | 'reset' | 'unsure' {
  const wanted = o.password.value;
  if (wanted === undefined || isTold(o)) return 'same';
  if (typeof o.journal !== 'object' || 'unavailable' in o.journal) return 'unsure';
  const { password, adopted } = o.journal;
  // An instance that we did not make is never reset: its owner tells us the password, not the other way round.
  if (adopted || password === undefined || password === passwordVersion(o)) return 'same';
  return 'reset';
}

/** The connection Secret was written when the cloud had the wanted password, or holds it. */
export function isTold(o: Observed): boolean {
  const version = toldVersion(o);
  return version === undefined
    ? o.password.value !== undefined && publishedPassword(o) === o.password.value
    : version === passwordVersion(o);
}

/** Where the connection Secret holds another login than root, it names the version of root's password. */
export const toldVersion = (o: Observed): string | undefined =>
  connection(o)?.metadata.annotations?.[ANNOTATIONS.rootVersion];

function connection(o: Observed): ChildObject | undefined {
  const name = connectionSecretName(o.rds.metadata.name);
  return o.children.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
}

export function publishedPassword(o: Observed): string | undefined {
  const data = connection(o)?.data as Record<string, string> | undefined;
  return data?.password === undefined ? undefined : fromBase64(data.password);
}
