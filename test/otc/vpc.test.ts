import t from 'tap';
import { UserError } from '../../src/errors.ts';
import { createScripted, failure, project, type Script } from './scripted-cloud.ts';

const vpcsRoute = 'GET /v1/{project}/vpcs';
const subnetsRoute = 'GET /v1/{project}/subnets';
const groupsRoute = 'GET /v2.0/security-groups';

const named = (id: string, name: string) => ({ id, name, neutron_subnet_id: `neutron-${id}` });

const script: Script = {
  [vpcsRoute]: () => ({
    body: { vpcs: [named('v1', 'default'), named('v2', 'shop'), named('default-id', 'v1')] },
  }),
  [subnetsRoute]: ({ url }) => ({
    body: {
      subnets: url.includes('vpc_id=v1')
        ? [named('s1', 'default'), named('s2', 'twin'), named('s3', 'twin')]
        : [named('s9', 'default')],
    },
  }),
  [groupsRoute]: () => ({
    body: { security_groups: [named('g1', 'default'), named('g2', 'twin'), named('g3', 'twin')] },
  }),
};

const byName = { vpc: 'default', subnet: 'default', securityGroup: 'default' };

t.test('names become ids, the subnet within its VPC', async (t) => {
  const cloud = createScripted(script);
  t.same(await cloud.open().network(byName), { vpcId: 'v1', subnetId: 's1', securityGroupId: 'g1' });
  t.same(await cloud.open().network({ ...byName, vpc: 'shop' }), {
    vpcId: 'v2',
    subnetId: 's9',
    securityGroupId: 'g1',
  });
  t.match(cloud.calls[1]?.url, `https://vpc.example/v1/${project}/vpcs?`);
  t.match(cloud.calls[3]?.url, 'https://vpc.example/v2.0/security-groups?');
});

t.test('ids are taken as they are, even where something else has that name', async (t) => {
  const cloud = createScripted(script);
  const wanted = { vpc: 'v1', subnet: 's3', securityGroup: 'g2' };
  t.same(await cloud.open().network(wanted), { vpcId: 'v1', subnetId: 's3', securityGroupId: 'g2' });
});

for (const [field, wanted] of Object.entries({
  'spec.vpc': { ...byName, vpc: 'nowhere' },
  'spec.subnet': { ...byName, subnet: 'nowhere' },
  'spec.securitygroup': { ...byName, securityGroup: 'nowhere' },
})) {
  t.test(`an unknown name is a user error on ${field}`, async (t) => {
    const cloud = createScripted(script);
    const error = await failure(cloud.open().network(wanted));
    t.ok(error instanceof UserError);
    t.match(error, { field, code: 'NOT_FOUND', message: /nowhere/ });
  });
}

t.test('an ambiguous name is a user error that names the candidates', async (t) => {
  const cloud = createScripted(script);
  const subnet = await failure(cloud.open().network({ ...byName, subnet: 'twin' }));
  t.ok(subnet instanceof UserError);
  t.match(subnet, { field: 'spec.subnet', code: 'AMBIGUOUS', message: /s2, s3/ });
  const group = await failure(cloud.open().network({ ...byName, securityGroup: 'twin' }));
  t.match(group, { field: 'spec.securitygroup', message: /g2, g3/ });
});

t.test('lists are kept for five minutes', async (t) => {
  const cloud = createScripted(script);
  await cloud.open().network(byName);
  await cloud.clock.advance(4 * 60_000);
  await cloud.open().network(byName);
  t.equal(cloud.count(vpcsRoute), 1);
  await cloud.clock.advance(2 * 60_000);
  await cloud.open().network(byName);
  t.equal(cloud.count(vpcsRoute), 2);
});

t.test(
  'a name that was made after the list was read is found, and a wrong one does not cost a list per call',
  async (t) => {
    const cloud = createScripted({
      ...script,
      [vpcsRoute]: (_, n) => ({
        body: { vpcs: n === 1 ? [named('v1', 'default')] : [named('v1', 'default'), named('v2', 'new')] },
      }),
    });
    await cloud.open().network(byName);
    await cloud.clock.advance(11_000);
    t.equal((await cloud.open().network({ ...byName, vpc: 'new' })).vpcId, 'v2');
    t.equal(cloud.count(vpcsRoute), 2);
    await failure(cloud.open().network({ ...byName, vpc: 'nowhere' }));
    await failure(cloud.open().network({ ...byName, vpc: 'nowhere' }));
    t.equal(cloud.count(vpcsRoute), 2);
  },
);

t.test('long lists are read page by page, after the last id', async (t) => {
  const all = Array.from({ length: 1_500 }, (_, n) =>
    named(`id-${n}`, n === 1_400 ? 'default' : `name-${n}`),
  );
  const cloud = createScripted({
    ...script,
    [groupsRoute]: ({ url }) => {
      const marker = new URL(url).searchParams.get('marker');
      const start = all.findIndex(({ id }) => id === marker) + 1;
      return { body: { security_groups: all.slice(start, start + 1_000) } };
    },
  });
  t.equal((await cloud.open().network(byName)).securityGroupId, 'id-1400');
  t.equal(cloud.count(groupsRoute), 2);
});

t.test('a cloud that ignores the marker does not trap us', async (t) => {
  const all = Array.from({ length: 1_000 }, (_, n) => named(`id-${n}`, n === 0 ? 'default' : `name-${n}`));
  const cloud = createScripted({ ...script, [groupsRoute]: () => ({ body: { security_groups: all } }) });
  t.equal((await cloud.open().network(byName)).securityGroupId, 'id-0');
  t.equal(cloud.count(groupsRoute), 2);
});
