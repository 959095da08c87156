import t from 'tap';
import type { Cloud, Credentials } from '../../src/otc/cloud.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import { createSimulator, type Simulator } from '../../src/simulator/simulator.ts';
import { failure, newInstance } from './scripted-cloud.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

const where = {
  OS_AUTH_URL: 'http://127.0.0.1:9090/v3',
  OS_REGION_NAME: 'eu-de',
  OS_PROJECT_NAME: 'eu-de',
  OS_DOMAIN_NAME: 'OTC-DEMO',
};
const byPassword = readCredentials({ ...where, OS_USERNAME: 'demo', OS_PASSWORD: 'demo-Passw0rd' });
const byKeys = readCredentials({
  ...where,
  OS_ACCESS_KEY: 'DEMOACCESSKEY0000001',
  OS_SECRET_KEY: 'demoSecretKey00000000000000000000000001A',
});

type Stage = { simulator: Simulator; clock: VirtualClock; open(credentials?: Credentials): Cloud };

function createStage(): Stage {
  const clock = createVirtualClock();
  const simulator = createSimulator({ clock, automatedBackups: false });
  const openCloud = createOpenCloud({ send: simulator.send, clock, random: () => 0.5 });
  return {
    simulator,
    clock,
    open(credentials = byPassword) {
      const end = clock.now() + 15_000;
      return openCloud(credentials, { remainingMs: () => end - clock.now() });
    },
  };
}

async function wantedOn(cloud: Cloud) {
  const network = await cloud.network({ vpc: 'default', subnet: 'default', securityGroup: 'default' });
  const flavors = await cloud.flavors('PostgreSQL', '16');
  const flavor = flavors.find(({ mode, stock }) => mode === 'single' && stock['eu-de-01'] === 'normal');
  if (!flavor) throw new Error('the simulator sells no flavor');
  return { ...newInstance, ...network, flavor: flavor.code };
}

for (const [name, credentials] of Object.entries({ password: byPassword, 'AK/SK': byKeys })) {
  t.test(`the life of an instance, with ${name}`, async (t) => {
    const { simulator, clock, open } = createStage();
    const wanted = await wantedOn(open(credentials));

    const { id, jobId } = await open(credentials).createInstance(wanted);
    t.match((await open(credentials).findInstancesByName(wanted.name)).value, [
      { id, status: 'BUILD', ip: undefined },
    ]);
    t.match(await open(credentials).findJob(jobId ?? ''), { status: 'Running' });

    await clock.advance(10 * 60_000);
    const built = await open(credentials).findInstanceById(id);
    t.match(built.value, {
      status: 'ACTIVE',
      engine: 'PostgreSQL',
      version: '16',
      port: 5432,
      volumeGb: 40,
      ip: /^\d/,
    });
    t.match(built.value, {
      vpcId: wanted.vpcId,
      subnetId: wanted.subnetId,
      securityGroupId: wanted.securityGroupId,
    });
    t.ok(Math.abs(built.at - clock.now()) <= 1_000, 'the time of the cloud');
    t.match(await open(credentials).findJob(jobId ?? ''), { status: 'Completed' });
    t.ok((await open(credentials).snapshot(60)).byId.has(id));

    const backup = await open(credentials).createBackup({
      instanceId: id,
      name: 'final-1',
      description: 'the last',
    });
    t.match((await open(credentials).backups(id)).value, [
      { id: backup.id, status: 'BUILDING', name: 'final-1' },
    ]);
    t.match(
      await failure(open(credentials).deleteInstance(id)),
      { name: 'RetryableError', outcome: 'refused' },
      'busy',
    );
    await clock.advance(5 * 60_000);
    t.match((await open(credentials).backups(id)).value, [{ id: backup.id, status: 'COMPLETED' }]);

    await open(credentials).tagInstance(id, { 'rds-pilot-uid': 'u-1', team: 'shop' });
    await open(credentials).tagInstance(id, { 'rds-pilot-uid': 'u-1', team: 'shop' });
    t.same((await open(credentials).findInstanceById(id)).value?.tags, {
      'rds-pilot-uid': 'u-1',
      team: 'shop',
    });
    await open(credentials).untagInstance(id, ['team']);
    t.same((await open(credentials).findInstanceById(id)).value?.tags, { 'rds-pilot-uid': 'u-1' });

    const restartAt = clock.now();
    await open(credentials).restartInstance(id);
    t.equal((await open(credentials).findInstanceById(id)).value?.status, 'REBOOTING');
    t.match(await open(credentials).tasks(id, restartAt), [{ instanceId: id, name: /restart|reboot/i }]);
    await clock.advance(5 * 60_000);
    await open(credentials).change(id, { kind: 'enlarge', sizeGb: 50 });
    await clock.advance(10 * 60_000);
    t.match((await open(credentials).findInstanceById(id)).value, { status: 'ACTIVE', volumeGb: 50 });

    await open(credentials).deleteInstance(id);
    await clock.advance(5 * 60_000);
    t.equal((await open(credentials).findInstanceById(id)).value, undefined);
    t.equal((await open(credentials).snapshot(60)).byId.size, 0);
    t.equal(simulator.state.instances.filter((instance) => instance.id === id).length, 0);
  });
}

t.test('an expired token is renewed without anybody noticing', async (t) => {
  const { clock, open, simulator } = createStage();
  await open().snapshot(60);
  await clock.advance(25 * 3_600_000);
  await open().snapshot(60);
  t.equal(simulator.calls().iam?.['POST /v3/auth/tokens'], 2);
});

t.test('what the simulator refuses comes back with the field to blame', async (t) => {
  const { open } = createStage();
  const wanted = await wantedOn(open());
  const cases = [
    { change: { flavor: 'rds.pg.none' }, field: 'spec.flavorref' },
    { change: { volumeGb: 45 }, field: 'spec.volumesize' },
    { change: { volumeType: 'PAPER' }, field: 'spec.volumetype' },
    { change: { version: '1' }, field: 'spec.datastoreversion' },
    { change: { availabilityZone: 'eu-de-99' }, field: 'spec.availabilityzone' },
    { change: { password: 'weak' }, field: 'spec.password' },
    { change: { backupStartTime: '01:00-05:00' }, field: 'spec.backupstarttime' },
    { change: { vpcId: '00000000-0000-4000-8000-000000000000' }, field: 'spec.vpc' },
  ];
  for (const { change, field } of cases) {
    const error = await failure(open().createInstance({ ...wanted, ...change }));
    t.match(error, { name: 'UserError', field, outcome: 'refused' }, field);
  }
});

t.test('250 instances come in three pages', async (t) => {
  const { clock, open, simulator } = createStage();
  const wanted = await wantedOn(open());
  for (let n = 0; n < 250; n++) {
    await clock.advance(1_000);
    await open().createInstance({ ...wanted, name: `team_db_${n}` });
  }
  const before = simulator.calls().rds?.['GET /v3/{project}/instances'] ?? 0;
  t.equal((await open().snapshot(60)).byName.size, 250);
  t.equal((simulator.calls().rds?.['GET /v3/{project}/instances'] ?? 0) - before, 3);
});
