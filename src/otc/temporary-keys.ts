// Credentials for a Job: temporary keys that may do one thing for a quarter of an hour, or, where the account does
// not give those, a project token. Both are sent for once: a lost answer leaves something that nobody holds.

import { TerminalError } from '../errors.ts';
import type { Call } from './call.ts';
import { baseOf } from './catalog.ts';
import type { Cloud, Credentials } from './cloud.ts';
import { need, objectOf, textOf, timeOf } from './json.ts';
import type { Session } from './session.ts';

export type IssueDeps = {
  credentials: Pick<Credentials, 'authUrl' | 'kind'>;
  call: Call;
  /** The operator's own session. */
  session: () => Promise<Session>;
  /** A login of its own, sent at most once. */
  logInOnce: () => Promise<Session>;
};

export type Issues = Pick<Cloud, 'issueKeys' | 'issueToken'>;

export function createIssues(deps: IssueDeps): Issues {
  const common = ({ projectId, region, bases }: Session) => ({
    authUrl: deps.credentials.authUrl,
    rdsUrl: baseOf(bases, 'rds', region),
    region,
    projectId,
  });
  return {
    async issueKeys(actions, lifeSeconds) {
      if (deps.credentials.kind === 'aksk') throw keysGiveNone();
      const session = await deps.session();
      const Statement = [{ Effect: 'Allow', Action: [...actions] }];
      const { value } = await deps.call({
        service: 'iam',
        method: 'POST',
        // Follows the `/v3` of the base: this call has a version of its own.
        path: '.0/OS-CREDENTIAL/securitytokens',
        body: {
          auth: {
            identity: {
              methods: ['token'],
              token: { duration_seconds: lifeSeconds },
              policy: { Version: '1.1', Statement },
            },
          },
        },
        read: (body) => {
          const given = objectOf(body, 'credential');
          return {
            accessKey: need(textOf(given, 'access'), 'access key'),
            secretKey: need(textOf(given, 'secret'), 'secret key'),
            securityToken: need(textOf(given, 'securitytoken'), 'security token'),
            expiresAt: need(timeOf(given, 'expires_at'), 'expiry'),
          };
        },
      });
      return { ...common(session), form: 'keys', ...value };
    },

    async issueToken() {
      if (deps.credentials.kind === 'aksk') throw keysGiveNone();
      const session = await deps.logInOnce();
      return { ...common(session), form: 'token', token: session.token ?? '' };
    },
  };
}

/** IAM hands out neither form to a caller that signs with permanent keys. */
function keysGiveNone(): TerminalError {
  const message =
    'CREDENTIALS: with OS_ACCESS_KEY the cloud gives no credential for a Job; give OS_USERNAME and OS_PASSWORD';
  return new TerminalError(message, { code: 'CREDENTIALS', outcome: 'refused' });
}
