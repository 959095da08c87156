// JSON lines. Redaction is a second fence: nothing that logs should hold a secret in the first place.

import pino, { type DestinationStream, type Logger } from 'pino';

const SECRET_KEYS = [
  'password',
  'token',
  'secretKey',
  'accessKey',
  'authorization',
  'data',
  'OS_PASSWORD',
  'OS_SECRET_KEY',
  'OS_TOKEN',
];

/** At the top level and one or two levels down, where pino's wildcards reach. */
export const REDACTED_PATHS = SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]).concat([
  'headers["x-auth-token"]',
  '*.headers["x-auth-token"]',
  '*.headers["x-subject-token"]',
]);

export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, redact: { paths: REDACTED_PATHS, censor: '[secret]' } };
  return destination ? pino(options, destination) : pino(options);
}
