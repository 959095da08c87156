// Known-bad variants of what surrounds Jobs: credentials of log Jobs (protocol C10), and SQL Jobs.

import { plantedBug as bug, edit, type PlantedBug } from './planted-bug.ts';

const CREDENTIAL = 'sync/act/job-credential.ts';
const LOGS = 'sync/decide/logs.ts';
const DATABASES = 'sync/decide/databases.ts';

const AT_ONCE = edit(
  LOGS,
  'return at < credential.at + o.timing.settleMs\n    ? undefined',
  'return at < credential.at\n    ? undefined',
);

export const JOB_BUGS: readonly PlantedBug[] = [
  bug(
    'a token is not revoked',
    ['credential-listed-until-dead'],
    edit(
      'sync/act/serve-logs.ts',
      'for (const token of secret ? tokensIn(secretValues(secret)) : []) await cloud.revokeToken(token);',
      'if (secret) tokensIn(secretValues(secret));',
    ),
  ),
  bug(
    'a revoke without an answer will do',
    ['credential-listed-until-dead'],
    edit(
      'sync/act/serve-logs.ts',
      'return { held, logs: { failure: toFailure(error), unrevoked: [...(o.logs?.unrevoked ?? []), name] } };',
      'toFailure(error);',
    ),
  ),
  bug(
    'the Secret of a credential goes before the credential',
    ['credential-listed-until-dead'],
    edit(
      'sync/children/logs.ts',
      'if (!journal || journal.credentials?.some((one) => one.name === name)) return true;',
      "if (!journal || journal.logs?.state === 'running') return true;",
    ),
    edit(
      'sync/children/logs.ts',
      "return formOf(secret) === 'token' && !o.logs?.revoked.includes(name);",
      'return false;',
    ),
  ),
  bug(
    'the next attempt comes at once and has the name of the last one',
    ['secret-never-overwritten', 'one-credential-per-attempt'],
    edit('rds/log-order.ts', '}-${order}-${attempt}`;', '}-${order}-${Math.min(attempt, 1)}`;'),
    AT_ONCE,
  ),
  bug(
    'keys are asked for twice',
    ['one-credential-per-attempt'],
    edit(
      CREDENTIAL,
      'const access = await cloud.issueKeys(ACTIONS, KEY_LIFE_SECONDS);',
      'await cloud.issueKeys(ACTIONS, KEY_LIFE_SECONDS);\n  const access = await cloud.issueKeys(ACTIONS, KEY_LIFE_SECONDS);',
    ),
  ),
  bug(
    'a credential is asked for and not noted',
    ['one-credential-per-attempt', 'credential-listed-until-dead'],
    edit(
      CREDENTIAL,
      'const noted = await deps.journal.swap(held, journal);',
      'const noted = { ...held, journal };',
    ),
  ),
  bug(
    'keys may do everything',
    ['one-credential-per-attempt'],
    edit(CREDENTIAL, "const ACTIONS = ['rds:log:list'];", "const ACTIONS = ['rds:*:*'];"),
  ),
  bug('a Secret that is not in sight at once counts as lost', ['one-credential-per-attempt'], AT_ONCE),
  bug(
    'a credential is forgotten while it lives',
    ['credential-listed-until-dead'],
    edit(LOGS, 'one === current || at < credentialEndsAt(one)', 'one === current || at < one.at'),
  ),
  bug(
    'an order for logs is not noted as taken',
    ['logs-once-per-order', 'no-hot-loop', 'converges'],
    edit(
      LOGS,
      ': { ...journal, handled: { ...journal.handled, [ANNOTATIONS.logs]: annotated } };',
      ': { ...journal };',
    ),
  ),
  bug(
    'an order for logs by status stays an order',
    ['logs-once-per-order', 'no-hot-loop', 'converges'],
    edit(LOGS, "? { ...journal, logsOrdered: 'done' }", "? { ...journal, logsOrdered: 'ordered' }"),
  ),
  bug(
    'a delete waits for no token',
    ['credential-listed-until-dead'],
    edit(
      'sync/decide/finalize.ts',
      'if (!verdict.finalized || !tokensHoldDelete(o)) return verdict;',
      'if (!verdict.finalized || !tokensHoldDelete(o) || verdict.finalized) return verdict;',
    ),
  ),
  bug(
    'what nobody hears is not taken back',
    ['credential-listed-until-dead'],
    edit(
      'sync/loop.ts',
      'const unheard = () => revokeIssued({ deps, cloud }, issued);',
      'const unheard = async () => {};',
    ),
  ),
  bug(
    'the credential of a Job is logged',
    ['no-secret-told'],
    edit(
      CREDENTIAL,
      "deps.log.info({ job, form }, 'a credential",
      "deps.log.info({ job, form, issued }, 'a credential",
    ),
  ),
  bug(
    'the credential of a Job is told in status',
    ['no-secret-told'],
    edit(
      'sync/decide/log-words.ts',
      'message: `Job ${job} reads the logs.` }];',
      'message: `Job ${job} reads the logs ${JSON.stringify(o.logs?.issued ?? {})}.` }];',
    ),
  ),
  bug(
    'a SQL Job starts on an old picture',
    ['only-what-the-spec-says', 'converges', 'one-job-per-wish'],
    edit(
      'sync/job-start.ts',
      'return rds !== undefined && pictureOf(rds) === pictureOf(view.rds);',
      'return rds !== undefined;',
    ),
  ),
  bug(
    'a given password is published before the server has it',
    ['user-password-works'],
    edit(
      'sync/decide/databases-record.ts',
      "if (!job || (job.key !== key && job.base !== base) || job.state === 'Failed') return false;",
      "if (!job || (job.key !== key && job.base !== base) || job.state === 'Failed') return true;",
    ),
  ),
  bug(
    'a SQL Job goes before its end is told',
    ['job-recorded-before-dropped', 'one-job-per-wish', 'no-hot-loop', 'converges'],
    edit(
      DATABASES,
      'return { ...plan, report, keep: [name], resyncAfterSeconds: PACE.soon };',
      'return { ...plan, report: before, keep: [], resyncAfterSeconds: PACE.soon };',
    ),
  ),
  bug(
    'the same wish again and again',
    ['one-job-per-wish', 'silent', 'no-hot-loop'],
    edit(
      DATABASES,
      'if (wasApplied && !isDueAgain(o, record)) return done(o, wanted);',
      'if (wasApplied && isDueAgain(o, record)) return done(o, wanted);',
    ),
  ),
  bug(
    'the password of a user is drawn anew',
    ['user-password-works', 'no-hot-loop', 'converges', 'silent'],
    edit(
      'sync/user-passwords.ts',
      'return published\n        ? {',
      'return published && names.length === 0\n        ? {',
    ),
  ),
  bug(
    'what is declared is dropped all the same',
    ['only-what-the-spec-says', 'converges'],
    edit(
      'sync/decide/databases-wish.ts',
      '.filter((account) => !declared.has(account))',
      '.filter((account) => !declared.has(account) || account)',
    ),
  ),
];
