// Credentials come as OS_* names, from the environment or from a tenant's Secret; only names ever get into errors.

import { TerminalError } from '../errors.ts';
import type { Credentials } from './cloud.ts';

/** What can be renewed comes first: a token ends after a day. */
const kinds = {
  password: ['OS_USERNAME', 'OS_PASSWORD'],
  aksk: ['OS_ACCESS_KEY', 'OS_SECRET_KEY'],
  token: ['OS_TOKEN'],
} as const;

const kindNames = ['password', 'aksk', 'token'] as const;

export function readCredentials(values: Record<string, string | undefined>): Credentials {
  // A value read from a file or made with `echo` ends in a newline that nobody meant.
  const get = (name: string) => values[name]?.replace(/[\r\n]+$/, '') || undefined;
  const lacks = (kind: keyof typeof kinds) => kinds[kind].filter((name) => get(name) === undefined);
  const kind =
    kindNames.find((name) => lacks(name).length === 0) ??
    kindNames.find((name) => lacks(name).length < kinds[name].length) ??
    'password';

  const projectName = get('OS_PROJECT_NAME');
  const projectId = get('OS_PROJECT_ID');
  const domainName = get('OS_DOMAIN_NAME') ?? get('OS_USER_DOMAIN_NAME');
  // Projects are named after their region: `eu-de`, `eu-de_dev`.
  const region = get('OS_REGION_NAME') ?? projectName?.split('_')[0];

  const missing: string[] = lacks(kind);
  if (get('OS_AUTH_URL') === undefined) missing.push('OS_AUTH_URL');
  if (region === undefined) missing.push('OS_REGION_NAME');
  if (projectName === undefined && projectId === undefined) missing.push('OS_PROJECT_NAME or OS_PROJECT_ID');
  if (kind === 'password' && domainName === undefined) missing.push('OS_DOMAIN_NAME');
  if (missing.length > 0) {
    const message = `CREDENTIALS: missing ${missing.sort().join(', ')}`;
    throw new TerminalError(message, { code: 'CREDENTIALS', outcome: 'refused' });
  }

  const text = (name: string) => get(name) ?? '';
  const common = { authUrl: text('OS_AUTH_URL'), region: region ?? '', projectName, projectId, domainName };
  if (kind === 'aksk')
    return { ...common, kind, accessKey: text('OS_ACCESS_KEY'), secretKey: text('OS_SECRET_KEY') };
  if (kind === 'token') return { ...common, kind, token: text('OS_TOKEN') };
  return { ...common, kind, username: text('OS_USERNAME'), password: text('OS_PASSWORD') };
}

export function secretsOf(credentials: Credentials): string[] {
  if (credentials.kind === 'password') return [credentials.password];
  return [credentials.kind === 'aksk' ? credentials.secretKey : credentials.token];
}
