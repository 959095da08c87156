import t from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { autopilotWorld, BASE } from './autopilot-world.ts';

const BAD: { given: RdsSpec; says: RegExp }[] = [
  {
    given: { ...BASE, volumesize: 100, autopilot: { mode: 'Act', storage: { maxGb: 60 } } },
    says: /spec\.autopilot\.storage\.maxGb is 60, and the disk has 100 GB already/,
  },
  {
    given: { ...BASE, autopilot: { mode: 'Act', compute: { maxFlavor: 'rds.mysql.no.such' } } },
    says: /spec\.autopilot\.compute\.maxFlavor rds\.mysql\.no\.such does not exist for MySQL 8\.0/,
  },
  {
    given: { ...BASE, autopilot: { mode: 'Act', compute: { minFlavor: 'rds.mysql.no.such' } } },
    says: /spec\.autopilot\.compute\.minFlavor rds\.mysql\.no\.such does not exist/,
  },
  {
    given: { ...BASE, autopilot: { mode: 'Act', compute: { maxFlavor: 'rds.mysql.n1.medium.2' } } },
    says: /spec\.autopilot\.compute\.maxFlavor rds\.mysql\.n1\.medium\.2 is smaller than the present machine/,
  },
  {
    given: {
      ...BASE,
      autopilot: {
        mode: 'Act',
        compute: { minFlavor: 'rds.mysql.n1.2xlarge.2', maxFlavor: 'rds.mysql.n1.xlarge.2' },
      },
    },
    says: /spec\.autopilot\.compute\.minFlavor rds\.mysql\.n1\.2xlarge\.2 is larger than maxFlavor/,
  },
  { given: { ...BASE, endpoint: 'http://alarms.example.com/' }, says: /spec\.endpoint must be .* https:/ },
  { given: { ...BASE, endpoint: 'https://user:pw@alarms.example.com/' }, says: /spec\.endpoint must be/ },
  { given: { ...BASE, endpoint: 'alarms.example.com' }, says: /spec\.endpoint must be/ },
];

for (const { given, says } of BAD)
  t.test(`told, and nothing is done: ${says.source.slice(0, 60)}`, async (t) => {
    const world = await autopilotWorld(t, given);
    t.match(await world.told(), { status: 'False', reason: 'AutopilotInvalid', message: says });
    t.equal(world.alarms().length, 0);
    t.equal((await world.topics()).length, 0);
    await world.load({ disk: 93, cpu: 95 });
    await world.wait(45);
    t.equal(world.count('enlarge') + world.count('resize'), 0);
    t.match(await world.status('shop'), { phase: 'Ready' }, 'the database is managed on');
    await world.apply('shop', { ...BASE, volumesize: given.volumesize, autopilot: { mode: 'Act' } });
    await world.wait(5);
    t.match(await world.told(), { status: 'True' }, 'corrected');
    t.equal(world.alarms().length, 3);
  });

t.test('a bound that becomes wrong later leaves the alarms as they are', async (t) => {
  const world = await autopilotWorld(t, { ...BASE, autopilot: { mode: 'Act', storage: { maxGb: 100 } } });
  await world.apply('shop', {
    ...BASE,
    volumesize: 120,
    autopilot: { mode: 'Act', storage: { maxGb: 100 } },
  });
  await world.wait(20);
  t.match(await world.told(), { reason: 'AutopilotInvalid', message: /maxGb is 100/ });
  t.equal(world.alarms().length, 3);
  t.equal(world.instance()?.volumeGb, 120, 'the spec itself is carried out');
});
