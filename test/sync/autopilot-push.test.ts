import t from 'tap';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import type { Letter } from '../../src/simulator/smn/types.ts';
import { autopilotWorld, BASE } from './autopilot-world.ts';

const ENDPOINT = 'https://alarms.example.com/rds';
const PUSHED = { ...BASE, endpoint: ENDPOINT };

t.test('one topic of the Rds, one subscription, and alarms that tell it', async (t) => {
  const world = await autopilotWorld(t, PUSHED);
  const uid = (await world.rds('shop'))?.metadata.uid;
  const [topic, ...others] = await world.topics();
  t.equal(topic?.name, `rds-pilot-${uid}`);
  t.same(others, []);
  t.match(await world.subscriptions(), [{ endpoint: ENDPOINT, status: 0, topic_urn: topic?.topic_urn }]);
  for (const { alarmActions, okActions } of world.alarms()) {
    t.same(alarmActions, [{ type: 'notification', notificationList: [topic?.topic_urn] }]);
    t.same(okActions, alarmActions);
  }
  t.match(await world.told(), {
    status: 'True',
    reason: 'PushUnconfirmed',
    message: /spec\.endpoint has not confirmed/,
  });
});

t.test('the confirmation is told, and a lost topic comes back', async (t) => {
  const letters: Letter[] = [];
  const deliver = async (letter: Letter) => {
    letters.push(letter);
    return 200;
  };
  const world = await autopilotWorld(t, PUSHED, { simulator: { deliver } });
  await world.simulator.delivered();
  t.equal(letters[0]?.url, ENDPOINT);
  const { subscribe_url } = JSON.parse(letters[0]?.body ?? '{}') as { subscribe_url: string };
  const { pathname, search } = new URL(subscribe_url);
  await world.simulator.handle({ method: 'GET', url: pathname + search, headers: { host: 'sim' } });
  await world.wait(5);
  t.match(await world.told(), { status: 'True', reason: 'Watching' });
  const [topic] = await world.topics();
  await world.byHand('DELETE', `/smn/v2/${DEMO_PROJECT.id}/notifications/topics/${topic?.topic_urn}`);
  t.equal((await world.topics()).length, 0);
  await world.wait(7 * 60);
  t.equal((await world.topics()).length, 1, 'found within the six hours after which it is looked at again');
  t.equal((await world.subscriptions()).length, 1);
});

t.test('another address takes the place of the old one; none takes the topic away', async (t) => {
  const world = await autopilotWorld(t, PUSHED);
  await world.apply('shop', { ...BASE, endpoint: 'https://other.example.com/' });
  await world.wait(5);
  t.match(await world.subscriptions(), [{ endpoint: 'https://other.example.com/' }]);
  await world.apply('shop', { ...BASE, autopilot: { mode: 'Act' } });
  await world.wait(10);
  t.equal((await world.topics()).length, 0);
  t.ok(world.alarms().every(({ alarmActions, hasActions }) => alarmActions.length === 0 && !hasActions));
  t.match(await world.told(), { reason: 'Watching' });
});

t.test('an address that does not answer is asked again every hour', async (t) => {
  const world = await autopilotWorld(t, PUSHED);
  const asked = () =>
    world.simulator.calls().smn?.['POST /v2/{project}/notifications/topics/{urn}/subscriptions'] ?? 0;
  t.equal(asked(), 1);
  await world.wait(30);
  t.equal(asked(), 1);
  await world.wait(45);
  t.equal(asked(), 2);
});
