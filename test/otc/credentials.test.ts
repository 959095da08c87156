import t from 'tap';
import { TerminalError } from '../../src/errors.ts';
import { readCredentials } from '../../src/otc/credentials.ts';

const where = {
  OS_AUTH_URL: 'https://iam.example/v3',
  OS_REGION_NAME: 'eu-de',
  OS_PROJECT_NAME: 'eu-de_dev',
  OS_DOMAIN_NAME: 'OTC',
};
const common = {
  authUrl: 'https://iam.example/v3',
  region: 'eu-de',
  projectName: 'eu-de_dev',
  projectId: undefined,
  domainName: 'OTC',
};
const password = { OS_USERNAME: 'u', OS_PASSWORD: 'p-secret' };
const keys = { OS_ACCESS_KEY: 'ak', OS_SECRET_KEY: 'sk-secret' };

for (const { given, want, because } of [
  {
    given: { ...where, ...password },
    want: { ...common, kind: 'password', username: 'u', password: 'p-secret' },
    because: 'password',
  },
  {
    given: { ...where, ...keys },
    want: { ...common, kind: 'aksk', accessKey: 'ak', secretKey: 'sk-secret' },
    because: 'keys',
  },
  { given: { ...where, OS_TOKEN: 't' }, want: { ...common, kind: 'token', token: 't' }, because: 'token' },
  {
    given: { ...where, ...password, ...keys, OS_TOKEN: 't' },
    want: { ...common, kind: 'password', username: 'u', password: 'p-secret' },
    because: 'a password can be renewed',
  },
  {
    given: { ...where, ...keys, OS_TOKEN: 't', OS_USERNAME: 'u' },
    want: { ...common, kind: 'aksk', accessKey: 'ak', secretKey: 'sk-secret' },
    because: 'a complete kind beats an incomplete one',
  },
  {
    given: {
      ...where,
      ...password,
      OS_REGION_NAME: undefined,
      OS_DOMAIN_NAME: '',
      OS_USER_DOMAIN_NAME: 'OTC',
      OS_PASSWORD: 'p-secret\n',
    },
    want: { ...common, kind: 'password', username: 'u', password: 'p-secret' },
    because:
      'the region is in the project, the domain may be the user domain, a last newline is nobody’s wish',
  },
]) {
  t.test(`credentials are read: ${because}`, async (t) => {
    t.same(readCredentials(given), want);
  });
}

for (const { given, missing } of [
  {
    given: {},
    missing:
      'OS_AUTH_URL, OS_DOMAIN_NAME, OS_PASSWORD, OS_PROJECT_NAME or OS_PROJECT_ID, OS_REGION_NAME, OS_USERNAME',
  },
  { given: { ...where, OS_USERNAME: 'u' }, missing: 'OS_PASSWORD' },
  { given: { ...where, OS_SECRET_KEY: 'sk-secret' }, missing: 'OS_ACCESS_KEY' },
  {
    given: { ...password, OS_AUTH_URL: 'x', OS_PROJECT_ID: 'p', OS_DOMAIN_NAME: 'd' },
    missing: 'OS_REGION_NAME',
  },
  { given: { ...where, ...password, OS_DOMAIN_NAME: '' }, missing: 'OS_DOMAIN_NAME' },
]) {
  t.test(`what is missing is named, and nothing else: ${missing}`, async (t) => {
    const read = () => readCredentials(given);
    t.throws(read, { code: 'CREDENTIALS', message: `CREDENTIALS: missing ${missing}` });
    t.throws(read, TerminalError);
  });
}
