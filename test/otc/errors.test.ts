import t from 'tap';
import { type CloudError, RetryableError, TerminalError, UserError } from '../../src/errors.ts';
import { SendError } from '../../src/otc/send.ts';
import {
  createRoute,
  createScripted,
  failure,
  instancesRoute,
  newInstance,
  type Script,
  tokenRoute,
} from './scripted-cloud.ts';

const dbs = (code: string, text = 'some words') => ({ error_code: code, error_msg: text });

const cases = [
  { given: [409, dbs('DBS.200047')], want: [RetryableError, 'refused'], because: 'the instance is busy' },
  { given: [409, dbs('DBS.999999')], want: [RetryableError, 'refused'], because: 'any 409 means busy' },
  { given: [403, dbs('DBS.212033')], want: [RetryableError, 'refused'], because: 'this 403 means busy too' },
  {
    given: [429, dbs('APIGW.0308')],
    want: [RetryableError, 'refused'],
    because: 'throttled before any effect',
  },
  {
    given: [408, ''],
    want: [RetryableError, 'unknown', 'HTTP_408'],
    because: 'the time-out says nothing of the effect',
  },
  {
    given: [500, dbs('DBS.108000')],
    want: [RetryableError, 'unknown'],
    because: 'a 5xx may come after the effect',
  },
  {
    given: [502, '<html>bad gateway</html>'],
    want: [RetryableError, 'unknown', 'HTTP_502'],
    because: 'as a 5xx',
  },
  { given: [504, dbs('APIGW.0201')], want: [RetryableError, 'unknown'], because: 'the backend may go on' },
  {
    given: [302, ''],
    want: [RetryableError, 'unknown', 'HTTP_302'],
    because: 'something stands between us and the cloud',
  },
  { given: [403, dbs('DBS.200044')], want: [TerminalError, 'refused'], because: 'no right' },
  { given: [403, ''], want: [TerminalError, 'refused', 'HTTP_403'], because: 'no right, without words' },
  { given: [413, dbs('DBS.200046')], want: [TerminalError, 'refused'], because: 'over quota' },
  { given: [404, dbs('DBS.290005')], want: [TerminalError, 'refused'], because: 'gone' },
  { given: [400, dbs('DBS.280449')], want: [TerminalError, 'refused'], because: 'frozen' },
  {
    given: [400, dbs('DBS.280450')],
    want: [TerminalError, 'refused'],
    because: 'sold out passes without an edit',
  },
  { given: [400, dbs('DBS.200001')], want: [TerminalError, 'refused'], because: 'no field is named' },
  {
    given: [400, dbs('DBS.200053')],
    want: [UserError, 'refused', 'DBS.200053', 'spec.flavorref'],
    because: 'flavor',
  },
  {
    given: [404, dbs('DBS.290002')],
    want: [UserError, 'refused', 'DBS.290002', 'spec.flavorref'],
    because: 'flavor',
  },
  {
    given: [400, dbs('DBS.200023')],
    want: [UserError, 'refused', 'DBS.200023', 'spec.volumesize'],
    because: 'size',
  },
  {
    given: [400, dbs('DBS.200026')],
    want: [UserError, 'refused', 'DBS.200026', 'spec.volumetype'],
    because: 'disk type',
  },
  { given: [404, dbs('DBS.200503')], want: [UserError, 'refused', 'DBS.200503', 'spec.vpc'], because: 'VPC' },
  {
    given: [404, dbs('DBS.200501')],
    want: [UserError, 'refused', 'DBS.200501', 'spec.subnet'],
    because: 'subnet',
  },
  {
    given: [404, dbs('DBS.200050')],
    want: [UserError, 'refused', 'DBS.200050', 'spec.securitygroup'],
    because: 'group',
  },
  {
    given: [400, dbs('DBS.200052')],
    want: [UserError, 'refused', 'DBS.200052', 'spec.password'],
    because: 'password',
  },
  {
    given: [400, dbs('DBS.280364')],
    want: [UserError, 'refused', 'DBS.280364', 'spec.port'],
    because: 'port',
  },
  {
    given: [400, dbs('DBS.200025')],
    want: [UserError, 'refused', 'DBS.200025', 'spec.availabilityzone'],
    because: 'zone',
  },
  {
    given: [400, dbs('DBS.200041')],
    want: [UserError, 'refused', 'DBS.200041', 'spec.datastoreversion'],
    because: 'version',
  },
  {
    given: [400, dbs('DBS.200042')],
    want: [UserError, 'refused', 'DBS.200042', 'spec.datastoretype'],
    because: 'engine',
  },
  {
    given: [400, dbs('DBS.200051')],
    want: [UserError, 'refused', 'DBS.200051', 'spec.hamode'],
    because: 'HA mode',
  },
  {
    given: [400, dbs('DBS.200043')],
    want: [UserError, 'refused', 'DBS.200043', 'spec.hareplicationmode'],
    because: 'HA',
  },
  {
    given: [400, dbs('DBS.280253')],
    want: [UserError, 'refused', 'DBS.280253', 'spec.backupstarttime'],
    because: 'backup',
  },
  {
    given: [400, dbs('DBS.200021')],
    want: [UserError, 'refused', 'DBS.200021', 'metadata.name'],
    because: 'name',
  },
  {
    given: [200, 'not json'],
    want: [RetryableError, 'unknown', 'UNREADABLE'],
    because: 'it may have worked',
  },
  {
    given: [202, { instance: {} }],
    want: [RetryableError, 'unknown', 'UNREADABLE'],
    because: 'there is no id',
  },
  { given: [202, '[]'], want: [RetryableError, 'unknown', 'UNREADABLE'], because: 'that is no object' },
] as const;

for (const { given, want, because } of cases) {
  const [status, body] = given;
  const [
    kind,
    outcome,
    code = typeof body === 'object' && 'error_code' in body ? body.error_code : '',
    field,
  ] = want;
  t.test(`a create answered with ${status} ${code} is a ${outcome} ${kind.name}: ${because}`, async (t) => {
    const cloud = createScripted({ [createRoute]: () => ({ status, body }) });
    const error = await failure(cloud.open().createInstance(newInstance));
    t.ok(error instanceof kind);
    t.match(error, { outcome, code, ...(field === undefined ? {} : { field }) });
    t.equal(cloud.count(createRoute), 1);
  });
}

const shapes = [
  {
    body: { error: { code: 404, message: 'keystone words', title: 'Not Found' } },
    want: /HTTP_404: keystone words/,
  },
  { body: { code: 'VPC.0003', message: 'vpc words' }, want: /VPC.0003: vpc words/ },
  {
    body: { NeutronError: { type: 'NetworkNotFound', message: 'neutron words' } },
    want: /NetworkNotFound: neutron words/,
  },
  {
    body: { http_code: '404', message: { code: 'ces.0016', details: 'ces words' } },
    want: /ces.0016: ces words/,
  },
  { body: { request_id: 'r', code: 'SMN.0006', message: 'smn words' }, want: /SMN.0006: smn words/ },
];

for (const { body, want } of shapes) {
  t.test(`the words of the cloud are found in ${JSON.stringify(body)}`, async (t) => {
    const cloud = createScripted({ [instancesRoute]: () => ({ status: 404, body }) });
    t.match(await failure(cloud.open().findInstanceById('a')), { message: want });
  });
}

t.test(
  'the request id comes from the header, else from the body, and stays out of the message',
  async (t) => {
    const cloud = createScripted({
      [createRoute]: (_, n) => ({
        status: 400,
        headers: requestIdHeader(n),
        body: { ...dbs('DBS.200053'), request_id: 'from-body' },
      }),
    });
    const first = await failure(cloud.open().createInstance(newInstance));
    const second = await failure(cloud.open().createInstance(newInstance));
    t.match(first, { requestId: 'from-header' });
    t.match(second, { requestId: 'from-body' });
    t.equal(
      (first as CloudError).message,
      (second as CloudError).message,
      'a message that changes would loop the status',
    );
  },
);

function requestIdHeader(n: number): Record<string, string> {
  return n === 1 ? { 'x-request-id': 'from-header' } : {};
}

t.test('Retry-After is read as seconds and as a date, and never believed beyond ten minutes', async (t) => {
  const cloud = createScripted({
    [createRoute]: (_, n) => ({
      status: 503,
      headers: {
        'retry-after': ['7', new Date(cloud.clock.now() + 9_000).toUTCString(), 'soon', '86400'][n - 1] ?? '',
      },
    }),
  });
  for (const retryAfterSeconds of [7, 9, undefined, 600]) {
    const error = await failure(cloud.open().createInstance(newInstance));
    t.equal((error as RetryableError).retryAfterSeconds, retryAfterSeconds);
  }
});

for (const code of ['TIMEOUT', 'CONNECTION'] as const) {
  t.test(`a write without an answer (${code}) has an unknown outcome`, async (t) => {
    const cloud = createScripted({
      [createRoute]: () => {
        throw new SendError(code, 'lost');
      },
    });
    const error = await failure(cloud.open().createInstance(newInstance));
    t.ok(error instanceof RetryableError);
    t.match(error, { code, outcome: 'unknown' });
    t.equal(cloud.count(createRoute), 1);
  });
}

t.test('even a bug below ends as one of the three errors', async (t) => {
  const cloud = createScripted({
    [createRoute]: () => {
      throw new TypeError('a bug');
    },
  });
  t.match(await failure(cloud.open().createInstance(newInstance)), {
    code: 'CONNECTION',
    outcome: 'unknown',
  });
});

t.test('no error quotes a password or a token, even when the cloud does', async (t) => {
  const echo = `you sent ${newInstance.password} and login-Secret-1 with token-1`;
  const scripts: Script[] = [
    { [createRoute]: () => ({ status: 400, body: dbs('DBS.200052', echo) }) },
    { [createRoute]: () => ({ status: 500, body: echo }) },
    { [createRoute]: () => ({ status: 200, body: echo }) },
    { [createRoute]: () => ({ status: 200, body: `{"password":"${echo}` }) },
    {
      [createRoute]: () => ({
        status: 400,
        body: dbs('DBS.200052', `${'x'.repeat(290)}${newInstance.password}`),
      }),
    },
    { [tokenRoute]: () => ({ status: 401, body: { error: { code: 401, message: echo } } }) },
    { [tokenRoute]: () => ({ status: 201, body: `${echo}` }) },
  ];
  for (const script of scripts) {
    const error = await failure(createScripted(script).open().createInstance(newInstance));
    const text = everything(error);
    t.notMatch(text, /login-Secret-1/);
    if (!(tokenRoute in script)) t.notMatch(text, /root-Sec|token-1/);
  }
});

function everything(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.stack} ${JSON.stringify(error)} ${error.cause === undefined ? '' : everything(error.cause)}`;
}
