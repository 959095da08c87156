import t from 'tap';
import { createLogger, REDACTED_PATHS } from '../src/logger.ts';

const SEED = 'S3cr3t-Seed';

function createSink(level = 'trace') {
  const lines: string[] = [];
  const log = createLogger(level, { write: (line: string) => lines.push(line) });
  return { log, text: () => lines.join(''), lines };
}

/** `*.headers["x-auth-token"]` -> { any: { headers: { 'x-auth-token': value } } } */
function objectAt(path: string, value: unknown): Record<string, unknown> {
  const steps = [...path.matchAll(/\["([^"]+)"\]|([^.[\]]+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  return steps.reduceRight<unknown>(
    (inner, step) => ({ [step === '*' ? 'any' : step]: inner }),
    value,
  ) as Record<string, unknown>;
}

t.test('a secret in any listed place does not show', async (t) => {
  t.not(REDACTED_PATHS.length, 0);
  for (const path of REDACTED_PATHS) {
    const { log, text } = createSink();
    log.info(objectAt(path, SEED), 'something happened');
    t.notMatch(text(), SEED, path);
    t.match(text(), /something happened/, path);
  }
});

t.test('secrets where they really occur do not show', async (t) => {
  const table: Record<string, Record<string, unknown>> = {
    'the spec of an Rds': { spec: { password: SEED } },
    'an Rds': { rds: { spec: { password: SEED } } },
    'users of a spec': { users: [{ name: 'app', password: SEED }] },
    'a Secret': { secret: { kind: 'Secret', data: { password: SEED } } },
    'data of a Secret': { data: { any: SEED } },
    credentials: { credentials: { kind: 'aksk', accessKey: SEED, secretKey: SEED } },
    'a token of IAM': { credentials: { kind: 'token', token: SEED } },
    environment: { env: { OS_PASSWORD: SEED, OS_SECRET_KEY: SEED, OS_TOKEN: SEED } },
    'a request with a bearer token': { req: { headers: { authorization: `Bearer ${SEED}` } } },
    'a request to the cloud': { headers: { 'x-auth-token': SEED } },
    'an answer of IAM': { response: { headers: { 'x-subject-token': SEED } } },
    'an error that carries credentials': { err: Object.assign(new Error('failed'), { password: SEED }) },
  };
  for (const [what, given] of Object.entries(table)) {
    const { log, text } = createSink();
    log.error(given, 'failed');
    t.notMatch(text(), SEED, what);
  }
});

t.test('what is bound to a child logger is redacted as well', async (t) => {
  const { log, text } = createSink();
  log.child({ password: SEED, rds: { token: SEED } }).info('hello');
  t.notMatch(text(), SEED);
  t.match(text(), /hello/);
});

t.test('secrets in more places do not show', async (t) => {
  const table: Record<string, Record<string, unknown>> = {
    'the token of IAM at the top': { headers: { 'x-subject-token': SEED } },
    'a temporary key': { headers: { 'x-security-token': SEED } },
    'users in a spec': { spec: { users: [{ name: 'app', password: SEED }] } },
    'a whole hook request': { parent: { spec: { users: [{ password: SEED }] } } },
    'children of a request': { children: { 'Secret.v1': { 'shop-root': { data: { password: SEED } } } } },
    'the hook token': { env: { HOOK_TOKEN: SEED } },
    'the password of the cloud’s API': { body: { db_user_pwd: SEED } },
  };
  for (const [what, given] of Object.entries(table)) {
    const { log, text } = createSink();
    log.error(given, 'failed');
    t.notMatch(text(), SEED, what);
  }
});

t.test('the rest of a line stays readable', async (t) => {
  const { log, lines } = createSink();
  log.info({ uid: 'u-1', rds: { name: 'shop', password: SEED } }, 'create sent to the cloud');
  t.match(JSON.parse(lines[0] ?? ''), {
    level: 30,
    uid: 'u-1',
    rds: { name: 'shop', password: '[secret]' },
    msg: 'create sent to the cloud',
  });
});

t.test('the level decides what is written', async (t) => {
  const { log, lines } = createSink('warn');
  log.info('not this');
  log.warn('this');
  t.equal(lines.length, 1);
  t.match(lines[0], /this/);
});

t.test('without a destination it writes to the standard output', async (t) => {
  t.equal(createLogger('silent').level, 'silent');
});
