import fc from 'fast-check';
import t from 'tap';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import { iamRoutes } from '../../src/simulator/iam/routes.ts';
import { rdsRoutes } from '../../src/simulator/rds/routes.ts';
import { vpcRoutes } from '../../src/simulator/vpc/routes.ts';
import { passwordAuth, postgres, testCloud } from './test-cloud.ts';

const routes = [...iamRoutes, ...rdsRoutes, ...vpcRoutes];

/** Field names the cloud knows, so that random bodies get past the first check. */
const names = fc.constantFrom(
  ...[
    'name',
    'auth',
    'identity',
    'methods',
    'password',
    'user',
    'restart',
    'enlarge_volume',
    'resize_flavor',
    'size',
  ],
  ...[
    'values',
    'instance_ids',
    'tags',
    'action',
    'key',
    'backup_policy',
    'source',
    'target',
    'instance_id',
    'port',
  ],
  ...[
    'datastore',
    'type',
    'version',
    'volume',
    'restore_point',
    'replica_of_id',
    'ssl_option',
    '__proto__',
    'constructor',
  ],
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, -1, 50, 1.5, '', 'create', 'MySQL', '__proto__', 'constructor', '%', 'ü'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 5 }),
  ),
})).value;
const query = fc.dictionary(
  fc.constantFrom(
    'id',
    'offset',
    'limit',
    'type',
    'tags',
    'start_date',
    'end_date',
    'instance_id',
    'version_name',
    'marker',
  ),
  fc.constantFrom('', '1', '-1', 'x', '__proto__', '%', '2025-01-01T00:00:00+0000', 'k=v,'),
);

t.test('no body, query or id makes the simulator fail: it refuses in the shape of the service', async (t) => {
  const { build, call } = await testCloud();
  const ids = [
    await build(),
    await build({ ...postgres, name: 'pg_db' }),
    '__proto__',
    'constructor',
    '%',
    'x',
  ];
  const seen = new Set<string>();
  const property = fc.asyncProperty(
    fc.constantFrom(...routes),
    fc.constantFrom(...ids),
    fc.option(json),
    query,
    async (route, id, body, parameters) => {
      const path = route.template.replace('{project}', DEMO_PROJECT.id).replace(/\{\w+\}/g, id);
      const search = new URLSearchParams(parameters).toString();
      const text = body === null ? '' : JSON.stringify(body);
      const reply = await call(route.method, `/${route.service}${path}?${search}`, text, {
        'x-subject-token': id,
      });
      if (reply.status < 200 || reply.status >= 500)
        throw new Error(`${route.method} ${path} gave ${reply.status}`);
      if (reply.status >= 400 && !reply.body)
        throw new Error(`${route.method} ${path} gave ${reply.status} without a body`);
      seen.add(`${route.method} ${route.template} ${reply.status < 400}`);
    },
  );
  await fc.assert(property, { seed: 1, numRuns: 3000 });
  t.ok(seen.size > routes.length, 'both accepted and refused');
});

t.test('odd paths, tokens and signatures are refused, not tripped over', async (t) => {
  const { call, useToken } = await testCloud();
  for (const path of ['//', '//[', '/%', '/rds/%zz', '/constructor', '/rds/v3/__proto__/instances', '/?', ''])
    t.ok((await call('GET', path)).status < 500, path);
  for (const token of ['__proto__', 'constructor', 'toString']) {
    useToken(token);
    t.equal((await call('GET', `/rds/v3/${DEMO_PROJECT.id}/instances`)).status, 401, token);
  }
  useToken('');
  const authorization = `SDK-HMAC-SHA256 Credential=constructor/20250101///sdk_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`;
  t.equal((await call('GET', '/rds/v3/%zz/instances', undefined, { authorization })).status, 401);
  const known = authorization.replace('constructor', 'DEMOACCESSKEY0000001');
  const headers = { authorization: known, 'x-sdk-date': '20250101T100000Z' };
  t.equal((await call('GET', '/rds/v3/%zz/instances', undefined, headers)).status, 401);
  const auth = passwordAuth();
  auth.auth.identity.methods = ['constructor'];
  t.equal((await call('POST', '/v3/auth/tokens', auth)).status, 400);
});
