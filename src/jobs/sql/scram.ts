// The form in which PostgreSQL keeps a password. Made here, so that the password itself is in no statement and
// in no log of the server.

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const ROUNDS = 4_096;

export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  // What clients do to a password before they use it (SASLprep), as far as it matters.
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, ROUNDS, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ROUNDS}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}

/** For servers before 10. */
export function md5Verifier(password: string, user: string): string {
  return `md5${createHash('md5')
    .update(password + user)
    .digest('hex')}`;
}
