// The root password in the cloud against the one that is wanted. What was published in the connection Secret
// is what clients use, so a new password is published only after the cloud has it.

import { connectionSecretName } from '../../rds/names.ts';
import type { Observed } from './observed.ts';

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
  if (wanted === undefined || publishedPassword(o) === wanted) return 'same';
  if (typeof o.journal !== 'object' || 'unavailable' in o.journal) return 'unsure';
  const { password, adopted } = o.journal;
  // An instance that we did not make is never reset: its owner tells us the password, not the other way round.
  if (adopted || password === undefined || password === passwordVersion(o)) return 'same';
  return 'reset';
}

const utf8 = new TextDecoder();
const decoded = new WeakMap<object, string>();

export function publishedPassword(o: Observed): string | undefined {
  const name = connectionSecretName(o.rds.metadata.name);
  const secret = o.children.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
  const data = secret?.data as Record<string, string> | undefined;
  if (data?.password === undefined) return undefined;
  // Asked several times for each call.
  const password = decoded.get(data) ?? decode(data.password);
  decoded.set(data, password);
  return password;
}

function decode(base64: string): string {
  return utf8.decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}
