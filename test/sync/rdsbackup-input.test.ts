import t from 'tap';
import type { RdsBackupSpec } from '../../src/rds/backup.ts';
import {
  applyBackup,
  backupPath,
  backupReaches,
  backupStatus,
  manualBackups,
  orders,
  withShop,
} from '../support/backups.ts';
import { condition, createWorld, MINUTE, SECOND, type World } from '../support/world.ts';

const UID = '4bc725ab-a311-4c18-92e7-ba4969369b55';

/** One call as curl would make it. */
async function ask(world: World, spec: unknown, rds?: object, more: object = {}) {
  const related = rds ? { 'Rds.otc.mcsps.de/v1alpha1': { 'team-a/shop': rds } } : {};
  const parent = { metadata: { name: 'before', namespace: 'team-a', uid: UID }, spec, ...more };
  const answer = world.app.inject({
    method: 'POST',
    url: '/rdsbackup/sync',
    payload: { parent, children: {}, related, finalizing: false },
  });
  await world.clock.advance(SECOND);
  return answer;
}

const refused: { spec: RdsBackupSpec; says: RegExp }[] = [
  { spec: {}, says: /spec\.rds: set rds to make a backup, or backupId with instanceId/ },
  { spec: { rds: 'shop', backupId: 'b', instanceId: 'i' }, says: /spec\.rds: .*not both/ },
  { spec: { backupId: 'b' }, says: /spec\.instanceId: backupId and instanceId go together/ },
  { spec: { rds: 'shop', instanceId: 'i' }, says: /spec\.instanceId: backupId and instanceId go together/ },
  { spec: { rds: 'shop', description: 'a <b>' }, says: /spec\.description/ },
  { spec: { backupId: '../x', instanceId: 'i' }, says: /spec\.backupId/ },
  { spec: { rds: 'shop', deletionPolicy: 'Snapshot' } as never, says: /spec\.deletionPolicy/ },
];

t.test('what can never work is refused at admission, and told where no admission was', async (t) => {
  const world = await withShop(t);
  for (const { spec, says } of refused) {
    const { status, body } = await applyBackup(world, 'before', spec);
    t.equal(status, 422, JSON.stringify(spec));
    t.match((body as { message: string }).message, says);
    const told = (await ask(world, spec)).json();
    t.match(condition(told.status, 'Ready'), { status: 'False', reason: 'InvalidSpec', message: says });
  }
  t.equal((await ask(world, undefined)).statusCode, 200, 'a missing spec is told, too');
  t.equal(orders(world), 0);
});

t.test('what a backup is of cannot change; policy and credentials can', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop', description: 'one' });
  const patch = async (spec: object) =>
    (await world.kube('PATCH', backupPath('before'), { spec }, 'application/merge-patch+json')).status;
  t.equal(await patch({ rds: 'other' }), 422);
  t.equal(await patch({ description: 'two' }), 422);
  t.equal(await patch({ description: null }), 422);
  t.equal(await patch({ rds: null, backupId: 'b', instanceId: 'i' }), 422);
  t.equal(await patch({ deletionPolicy: 'Delete', credentialsSecretRef: { name: 'x' } }), 200);
});

t.test('an instance that is not of the named Rds is never backed up', async (t) => {
  const world = await withShop(t);
  const { id = '' } = await world.status('shop');
  const stranger = { metadata: { name: 'shop', namespace: 'team-a', uid: UID }, status: { id } };
  t.match(condition((await ask(world, { rds: 'shop' }, stranger)).json().status, 'Ready'), {
    reason: 'ForeignInstance',
    message: /spec\.rds: instance .* belongs to another Rds by its tag rds-pilot-uid/,
  });
  const untagged = await world.createByHand('nobodys');
  await world.clock.advance(10 * MINUTE);
  const claimant = { metadata: { name: 'shop', namespace: 'team-a', uid: UID }, status: { id: untagged } };
  t.match(condition((await ask(world, { rds: 'shop' }, claimant)).json().status, 'Ready'), {
    reason: 'WaitingForInstance',
    message: /does not carry the tag/,
  });
  t.equal(orders(world), 0);
});

t.test('the wrong project is told with the Secret that the Rds uses', async (t) => {
  const world = await withShop(t);
  const elsewhere = {
    metadata: { name: 'shop', namespace: 'team-a', uid: UID },
    spec: { credentialsSecretRef: { name: 'tenant-b' } },
    status: { id: 'in-another-project' },
  };
  t.match(condition((await ask(world, { rds: 'shop' }, elsewhere)).json().status, 'Ready'), {
    reason: 'InstanceMissing',
    message: /uses Secret tenant-b: name it in spec\.credentialsSecretRef/,
  });
  const gone = {
    ...elsewhere,
    metadata: { ...elsewhere.metadata, deletionTimestamp: '2026-11-16T08:00:00Z' },
  };
  t.match(
    condition((await ask(world, { rds: 'shop' }, gone)).json().status, 'Ready')?.message,
    /is being deleted/,
  );
  const secretless = { rds: 'shop', credentialsSecretRef: { name: 'nowhere' } };
  t.match(condition((await ask(world, secretless, elsewhere)).json().status, 'Ready'), {
    reason: 'CredentialsInvalid',
    message: /Secret nowhere, named in spec\.credentialsSecretRef, does not exist/,
  });
});

t.test('every engine can be backed up', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const engines = [
    { datastoretype: 'PostgreSQL', datastoreversion: '16', port: '5432', flavorref: 'rds.pg.n1.large.2' },
    {
      datastoretype: 'SQLServer',
      datastoreversion: '2022_SE',
      port: '1433',
      flavorref: 'rds.mssql.n1.large.2',
    },
  ] as const;
  for (const spec of engines) {
    const name = spec.datastoretype.toLowerCase();
    await world.apply(name, { ...spec, volumetype: 'CLOUDSSD' });
    await applyBackup(world, `of-${name}`, { rds: name });
  }
  for (const { datastoretype } of engines) {
    const name = `of-${datastoretype.toLowerCase()}`;
    t.ok(await backupReaches(world, name, 'Completed'), JSON.stringify(await backupStatus(world, name)));
  }
  t.equal(manualBackups(world).length, 2);
});

t.test('a stopped instance is told; the backup is made when it runs again', async (t) => {
  const world = await withShop(t);
  const { id } = await world.status('shop');
  await world.byHand('POST', `/instances/${id}/action/shutdown`, {});
  await world.clock.advance(10 * MINUTE);
  await applyBackup(world, 'before', { rds: 'shop' });
  await world.clock.advance(MINUTE);
  t.match(condition(await backupStatus(world, 'before'), 'Ready'), {
    reason: 'Stopped',
    message: /No backup can be made: The instance is stopped/,
  });
  t.equal(orders(world), 0);
  await world.byHand('POST', `/instances/${id}/action/startup`, {});
  t.ok(await backupReaches(world, 'before', 'Completed'));
});

t.test('a status that breaks the schema is a 400 only where the id would be lost', async (t) => {
  const world = await withShop(t);
  const spec = { rds: 'shop' };
  t.equal((await ask(world, spec, undefined, { status: { id: 7 } })).statusCode, 400);
  const odd = { status: { id: 'b-1', phase: 'Later', sizeKb: 'big', futureField: { kept: true } } };
  const answer = await ask(world, spec, undefined, odd);
  t.equal(answer.statusCode, 200);
  t.match(answer.json().status, { id: 'b-1', futureField: { kept: true } }, 'a newer version is not robbed');
});

t.test('the hooks of RdsBackup are behind the same token, and in the same description', async (t) => {
  const world = await createWorld({ hookTokens: ['let-me-in'] });
  t.teardown(() => world.stop());
  for (const hook of ['sync', 'finalize', 'customize']) {
    const url = `/rdsbackup/${hook}`;
    t.equal((await world.app.inject({ method: 'POST', url, payload: {} })).statusCode, 401, url);
    const headers = { authorization: 'Bearer let-me-in' };
    t.equal((await world.app.inject({ method: 'POST', url, payload: {}, headers })).statusCode, 400, url);
  }
  const { paths } = (await world.app.inject({ method: 'GET', url: '/openapi.json' })).json();
  t.match(paths, { '/rdsbackup/sync': {}, '/rdsbackup/finalize': {}, '/rdsbackup/customize': {} });
});

t.test('customize names the Rds and the Secret, and nothing else', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const rulesOf = async (spec: RdsBackupSpec) => {
    const parent = { metadata: { name: 'before', namespace: 'team-a', uid: UID }, spec };
    const answer = await world.app.inject({
      method: 'POST',
      url: '/rdsbackup/customize',
      payload: { parent },
    });
    return answer.json().relatedResources;
  };
  const secrets = (name: string) => ({
    apiVersion: 'v1',
    resource: 'secrets',
    namespace: 'team-a',
    names: [name],
  });
  t.same(await rulesOf({ rds: 'shop' }), [
    secrets('otc-credentials'),
    { apiVersion: 'otc.mcsps.de/v1alpha1', resource: 'rdss', namespace: 'team-a', names: ['shop'] },
  ]);
  t.same(await rulesOf({ backupId: 'b', instanceId: 'i', credentialsSecretRef: { name: 'tenant' } }), [
    secrets('tenant'),
  ]);
});
