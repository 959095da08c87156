// JSON lines. Redaction is a second fence: nothing that logs should hold a secret in the first place.

import pino, { type DestinationStream, type Logger } from 'pino';

const SECRET_KEYS = [
  'password',
  'token',
  'secretKey',
  'accessKey',
  'securitytoken',
  'authorization',
  'data',
  'stringData',
  'db_user_pwd',
  'OS_PASSWORD',
  'OS_SECRET_KEY',
  'OS_TOKEN',
  'HOOK_TOKEN',
];
const SECRET_HEADERS = ['x-auth-token', 'x-subject-token', 'x-security-token'];

/** pino's wildcards stand for one level each. */
const LEVELS = ['', '*.', '*.*.', '*.*.*.', '*.*.*.*.'];

export const REDACTED_PATHS = LEVELS.flatMap((level) => [
  ...SECRET_KEYS.map((key) => `${level}${key}`),
  ...SECRET_HEADERS.map((header) => `${level}headers["${header}"]`),
]);

export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = { level, base: null, redact: { paths: REDACTED_PATHS, censor: '[secret]' } };
  return destination ? pino(options, destination) : pino(options);
}
