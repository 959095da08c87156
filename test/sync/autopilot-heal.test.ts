import t from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { autopilotWorld, BASE } from './autopilot-world.ts';

const HEAL: RdsSpec = { ...BASE, autopilot: { heal: true } };
const HA: RdsSpec = {
  ...HEAL,
  hamode: 'Ha',
  availabilityzone: 'eu-de-01,eu-de-02',
  flavorref: 'rds.mysql.n1.large.2.ha',
};

t.test('a failed instance is restarted once, after some patience', async (t) => {
  const world = await autopilotWorld(t, HEAL);
  await world.setStatus('FAILED');
  await world.wait(5);
  t.match(await world.told('Healthy'), {
    status: 'False',
    reason: 'Healing',
    message: /it gets a restart after ten minutes/,
  });
  t.equal(world.count('restart'), 0);
  await world.wait(15);
  t.equal(world.count('restart'), 1);
  t.equal(world.instance()?.status, 'ACTIVE');
  t.match(await world.told('Healthy'), { status: 'True', reason: 'Recovered' });
  await world.setStatus('FAILED');
  await world.wait(120);
  t.equal(world.count('restart'), 1, 'a second time within a day is for people');
  t.match(await world.told('Healthy'), { reason: 'HealingFailed', message: /support of the cloud/ });
});

t.test('an instance with a standby fails over', async (t) => {
  const world = await autopilotWorld(t, HA);
  await world.setStatus('FAILED');
  await world.wait(30);
  t.equal(world.count('failover'), 1);
  t.equal(world.count('restart'), 0);
  t.match(await world.status('shop'), { phase: 'Ready' });
});

t.test('the cloud may repair it by itself', async (t) => {
  const world = await autopilotWorld(t, HEAL);
  await world.setStatus('FAILED');
  await world.wait(5);
  await world.setStatus('ACTIVE');
  await world.wait(30);
  t.equal(world.count('restart'), 0);
  t.match(await world.told('Healthy'), { status: 'True', reason: 'Recovered' });
});

t.test('a restart whose answer is lost is not repeated', async (t) => {
  const world = await autopilotWorld(t, HEAL);
  world.simulator.faults.add({
    match: { service: 'rds', method: 'POST', path: '/v3/{project}/instances/{id}/action' },
    kind: 'timeout-after',
  });
  await world.setStatus('FAILED');
  await world.wait(60);
  t.equal(world.count('restart'), 1);
  t.match(await world.status('shop'), { phase: 'Ready' });
});

t.test('stuck in a restart: tried once, then told', async (t) => {
  const world = await autopilotWorld(t, HEAL);
  await world.setStatus('REBOOTING');
  await world.wait(20);
  t.equal(await world.told('Healthy'), undefined, 'a restart may take a while');
  await world.wait(60);
  t.match(await world.told('Healthy'), {
    status: 'False',
    reason: 'HealingFailed',
    message: /REBOOTING, and a restart did not help.*support/,
  });
  const sent = world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/action'];
  await world.wait(120);
  t.equal(world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/action'], sent, 'once');
  t.equal(sent, 1);
});

t.test('without heal people are told what to do', async (t) => {
  const world = await autopilotWorld(t, BASE);
  await world.setStatus('FAILED');
  await world.wait(60);
  t.equal(world.count('restart'), 0);
  t.match(await world.told('Healthy'), {
    reason: 'HealingFailed',
    message: /Recommended: a restart\. Order a restart with the annotation .*heal: true/,
  });
  await world.annotate('shop', { 'otc.mcsps.de/restart': 'now' });
  await world.wait(10);
  t.equal(world.count('restart'), 1);
  t.match(await world.told('Healthy'), { status: 'True', reason: 'Recovered' });
});

t.test('foresight: a disk that will be full is told before any alarm, in steady words', async (t) => {
  const world = await autopilotWorld(t, { ...BASE, autopilot: { mode: 'Recommend' } });
  t.equal(await world.told('DiskLasts'), undefined, 'nothing is known yet');
  await world.load({ growthGbPerDay: 2 });
  await world.wait(3 * 24 * 60);
  t.match(await world.told('DiskLasts'), {
    status: 'False',
    reason: 'DiskFullSoon',
    message: /^At the rate of the last days the disk of 40 GB is full in about (14|21) days\.$/,
  });
  let writes = 0;
  const unwatch = world.api.watch(({ object }) => {
    if (object.kind === 'Rds') writes += 1;
  });
  await world.wait(12 * 60);
  unwatch();
  t.ok(writes <= 2, `${writes} writes in half a day`);
});
