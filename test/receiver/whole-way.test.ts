import t from 'tap';
import { waitFor } from '../cluster/wait-for.ts';
import { wholeWay } from './whole-way.ts';

t.test('an alarm of the cloud makes Metacontroller call the hook at once', async (t) => {
  const way = await wholeWay(t, { replicas: 1 });
  const instance = await way.becomeReady();
  await way.watchDisk(instance);
  t.equal(way.mark(), undefined, 'an invitation touches nothing');
  await way.setDisk(instance.id, 95);
  const mark = await waitFor('the mark', way.mark);
  t.match(mark, /^\d{4}-.*Z\.[0-9a-f]{32}$/);
  await waitFor('a call with the mark', () => way.synced.includes(mark));
  await way.simulator.delivered();
  const [service] = way.services;
  if (!service) throw new Error('no service');
  t.match(await way.outcomes(service), { confirmed: 1, nudged: 1 });
  t.same(
    way.simulator.state.messages.map(({ state, lastStatus }) => ({ state, lastStatus })),
    way.simulator.state.messages.map(() => ({ state: 'delivered', lastStatus: 200 })),
    'the cloud was told each time that the message arrived',
  );
});

t.test('two replicas that both get the push give one mark', async (t) => {
  const way = await wholeWay(t, { replicas: 2 });
  const instance = await way.becomeReady();
  await way.watchDisk(instance);
  const before = way.patches.length;
  await way.setDisk(instance.id, 95);
  const mark = await waitFor('the mark', way.mark);
  const alarms = () => way.simulator.state.messages.filter(({ type }) => type === 'Notification');
  await waitFor(
    'both to be delivered',
    () => alarms().length === 2 && alarms().every(({ state }) => state === 'delivered'),
  );
  const counts = await Promise.all(way.services.map(way.outcomes));
  t.same(
    counts.map(({ nudged = 0, old = 0 }) => nudged + old),
    [1, 1],
    'each replica heard it',
  );
  t.equal(
    counts.reduce((sum, { nudged = 0 }) => sum + nudged, 0),
    1,
    'one of them wrote',
  );
  t.equal(way.mark(), mark);
  t.ok(way.patches.length - before <= 2);
});

t.test('an alarm becomes a larger disk: topic, confirmation, push, decision, growth', async (t) => {
  const way = await wholeWay(t, { replicas: 1 });
  const { id } = await way.becomeReady('Act');
  const says = (reason: string) => () =>
    way.status().conditions?.some((one) => one.type === 'AutopilotReady' && one.reason === reason);
  await waitFor('the confirmed subscription to be told', says('Watching'));
  await way.setDisk(id, 93);
  await waitFor('the growth', () => way.status().volumeGb === 50);
  t.match(way.status().scaling?.history, [{ what: 'disk 40 -> 50 GB' }]);
  t.ok(way.mark(), 'after a push');
});
