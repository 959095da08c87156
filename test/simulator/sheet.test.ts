// The simulator measured call by call against the sheet of API facts.
import t, { type Test } from 'tap';
import { DEMO_PROJECT, OTHER_PROJECT } from '../../src/simulator/demo-account.ts';
import { iamRoutes } from '../../src/simulator/iam/routes.ts';
import { rdsRoutes } from '../../src/simulator/rds/routes.ts';
import { vpcRoutes } from '../../src/simulator/vpc/routes.ts';
import { type Ids, type SheetCall, sheet } from './sheet-calls.ts';
import { MINUTE, testCloud } from './test-cloud.ts';

/** Served beyond the sheet's tables: what SDKs were seen to call (v1 tags, single networks), and discovery. */
const BEYOND = [
  'GET /v1/{project}/rds/{id}/tags',
  'POST /v1/{project}/rds/{id}/tags',
  'DELETE /v1/{project}/rds/{id}/tags',
  'GET /v1/{project}/vpcs/{id}',
  'GET /v1/{project}/subnets/{id}',
  'GET /v1/{project}/security-groups/{id}',
  'GET /v2.0/security-groups/{id}',
  'GET /v2.0/networks/{id}',
  'GET /v2.0/routers/{id}',
];

/** Its own test: the upgrade needs an inspection before. */
const ELSEWHERE = ['POST /v3/{project}/instances/{id}/major-version/upgrade'];

async function prepare({ on = {}, from }: SheetCall) {
  const cloud = await testCloud();
  const { call, rds, clock, order, network } = cloud;
  const created = (await rds('POST', '/instances', await order(on))).body;
  clock.advance(10 * MINUTE);
  const instance: string = created.instance.id;
  const node = (await cloud.show(instance)).nodes.find(({ role }: { role: string }) => role !== 'master')?.id;
  const { body } = await rds('POST', '/backups', { instance_id: instance, name: 'kept' });
  const template = { name: 'own', values: {}, datastore: { type: 'MySQL', version: '8.0' } };
  const own = (await rds('POST', '/configurations', template)).body.configuration.id;
  clock.advance(10 * MINUTE);
  if (from) await call('POST', `/_sim/instances/${instance}`, { status: from });
  const ids: Ids = {
    instance,
    node: node ?? '',
    backup: body.backup.id,
    template: own,
    job: created.job_id,
    token: await cloud.login(),
    network: await network(),
    order: await order(),
    now: clock.now(),
  };
  return { ...cloud, ids };
}

function pathOf({ call }: SheetCall, ids: Ids, change: { project?: string; instance?: string } = {}): string {
  const [, path = ''] = call.split(' ');
  return path
    .replace(/\/P(?=\/)/, `/${change.project ?? DEMO_PROJECT.id}`)
    .replace(/([/=])I(?=[/?]|$)/, `$1${change.instance ?? ids.instance}`)
    .replace(/([/=])B(?=$)/, `$1${ids.backup}`)
    .replace(/\/C(?=[/]|$)/, `/${ids.template}`)
    .replace(/=J$/, `=${ids.job}`);
}

const prefixes = { iam: '', rds: '/rds', vpc: '/vpc' };
const methodOf = ({ call }: SheetCall): string => call.split(' ')[0] ?? '';

type Service = keyof typeof sheet;
type Prepared = Awaited<ReturnType<typeof prepare>>;

/** One row of the sheet, ready to be called again and again. */
function trial(t: Test, service: Service, row: SheetCall, cloud: Prepared) {
  const { ids, call, useToken } = cloud;
  const send = (change = {}) =>
    call(methodOf(row), prefixes[service] + pathOf(row, ids, change), row.body?.(ids), row.headers?.(ids));
  const setStatus = (status: string) => call('POST', `/_sim/instances/${ids.instance}`, { status });
  const name = `${row.call} ${JSON.stringify(row.body?.(ids) ?? '').slice(0, 40)}`;

  return {
    async withoutToken() {
      if (row.isOpen) return;
      useToken('');
      const refused = await send();
      useToken(ids.token);
      const gateway = { error_code: 'APIGW.0301', error_msg: String, request_id: String };
      const own = row.call.includes(' /v1/') ? { code: 'VPC.0008' } : gateway;
      const body = service === 'iam' ? { error: { code: 401, title: 'Unauthorized' } } : own;
      t.match(refused, { status: 401, body }, `${name}: without a token`);
    },
    async ofAnotherProject() {
      if (service === 'iam' || !/ \/v[\d.]+\/P/.test(row.call)) return;
      const want =
        service === 'rds'
          ? { status: 403, body: { error_code: 'DBS.200010' } }
          : { status: 400, body: { code: 'VPC.0007' } };
      t.match(await send({ project: OTHER_PROJECT.id }), want, `${name}: another project`);
    },
    async ofAnotherInstance() {
      if (!/\/I(\/|$)/.test(row.call)) return;
      const unknown = await send({ instance: ids.instance.replace(/^.{8}/, '00000000') });
      t.match(unknown, { status: 404, body: { error_code: 'DBS.200002' } }, `${name}: an unknown instance`);
      const malformed = await send({ instance: 'none' });
      t.match(malformed, { status: 400, body: { error_code: 'DBS.280404' } }, `${name}: a malformed id`);
    },
    async whileBusy() {
      if (!row.busy) return;
      const [status, error_code] = row.busy;
      await setStatus('BUILD');
      t.match(await send(), { status, body: { error_code } }, `${name}: a busy instance`);
      await setStatus('ACTIVE');
    },
    async asMeant() {
      const reply = await send();
      t.equal(reply.status, row.want, `${name}: ${reply.text.slice(0, 200)}`);
      if (row.shape === undefined) t.equal(reply.text, '', `${name}: no body`);
      else t.match(reply.body, row.shape, `${name}: its shape`);
    },
  };
}

for (const service of ['iam', 'rds', 'vpc'] as const)
  t.test(`the calls of ${service}`, async (t) => {
    for (const row of sheet[service]) {
      const test = trial(t, service, row, await prepare(row));
      await test.withoutToken();
      await test.ofAnotherProject();
      await test.ofAnotherInstance();
      await test.whileBusy();
      await test.asMeant();
    }
  });

t.test('every route of the simulator is in the sheet, and every call of the sheet has a route', (t) => {
  const routes = [...iamRoutes, ...rdsRoutes, ...vpcRoutes].map(
    ({ method, template }) => `${method} ${template}`,
  );
  const ids = { instance: '{id}', backup: '{id}', template: '{id}', job: '{id}' } as Ids;
  const calls = Object.values(sheet)
    .flat()
    .map((row) => `${methodOf(row)} ${pathOf(row, ids, { project: '{project}' }).split('?')[0]}`)
    .map((call) => call.replace(/(datastores|flavors|storage-type)\/\w+$/, '$1/{db}'))
    .map((call) => call.replace(/users\/\w+/, 'users/{id}'));
  const known = new Set([...calls, ...BEYOND, ...ELSEWHERE]);
  t.strictSame(
    routes.filter((route) => !known.has(route)),
    [],
  );
  t.strictSame(
    [...known].filter((call) => !routes.includes(call)),
    [],
  );
  t.end();
});

t.test('a major upgrade follows its inspection', async (t) => {
  const { rds, ids } = await prepare({
    call: '',
    want: 200,
    on: { datastore: { type: 'PostgreSQL', version: '16' }, flavor_ref: 'rds.pg.n1.large.2', port: '5432' },
  });
  const path = `/instances/${ids.instance}/major-version`;
  const upgrade = { target_version: '17', is_change_private_ip: true };
  t.equal((await rds('POST', `${path}/upgrade`, upgrade)).status, 400);
  t.equal((await rds('POST', `${path}/inspection`, { target_version: '17' })).status, 200);
  t.match(await rds('POST', `${path}/upgrade`, upgrade), { status: 200, body: { job_id: String } });
  t.match((await rds('GET', `${path}/status?action=upgrade`)).body, { status: 'running' });
});
