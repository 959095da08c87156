import t from 'tap';
import { ANNOTATIONS } from '../../src/rds/names.ts';
import { certificate, middle, NOW } from './authorities.ts';
import { ENDPOINT, FILE, PROJECT, stage, stamp, text } from './stage.ts';

const MINUTE = 60_000;
const OTHER_PROJECT = 'e'.repeat(32);

t.test('an alarm touches one annotation of its Rds and nothing else', async (t) => {
  const world = await stage(t);
  await world.addRds('other', { endpoint: ENDPOINT });
  const before = await world.rds();
  const letter = world.letter();
  t.same(await world.post(JSON.stringify(letter)), { status: 200, body: '', outcome: 'nudged' });
  const after = await world.rds();
  t.same(after.metadata.annotations, {
    [ANNOTATIONS.alarm]: `2026-11-16T08:00:00.000Z.${letter.message_id}`,
  });
  t.same(after.spec, before.spec);
  t.equal(after.metadata.generation, before.metadata.generation, 'the spec is as it was');
  t.equal(await world.mark('other'), undefined);
  t.same(world.asked, [`https://${world.smn.host}/smn/${FILE}`]);
});

t.test('the end of an alarm is told too; other messages of the topic are not for us', async (t) => {
  const world = await stage(t);
  const over = JSON.stringify({ message_type: 'alarm', alarm_status: 'ok' });
  t.match(await world.post(JSON.stringify(world.letter({ message: over }))), { outcome: 'nudged' });
  const mark = await world.mark();
  for (const message of ['hello', '{"message_type":"event"}', 'null', '[]', '"alarm"']) {
    world.time.now += 1_000;
    const answer = await world.post(JSON.stringify(world.letter({ message })));
    t.same(answer, { status: 200, body: '', outcome: 'notAlarm' }, message);
  }
  t.equal(await world.mark(), mark);
});

t.test('a message counts once, whoever sends it again and wherever it arrives', async (t) => {
  const world = await stage(t);
  const other = world.startReplica();
  const first = JSON.stringify(world.letter());
  t.match(await world.post(first), { status: 200, outcome: 'nudged' });
  t.match(await world.post(first), { status: 200, outcome: 'replayed' }, 'to the same replica');
  t.match(await other.post(first), { status: 200, outcome: 'old' }, 'to the other one');
  t.equal(world.writes.length, 1);
  world.time.now += MINUTE;
  t.match(await other.post(JSON.stringify(world.letter())), { outcome: 'nudged' }, 'the next alarm');
  const mark = await world.mark();
  world.time.now += MINUTE;
  t.match(await world.startReplica().post(first), { outcome: 'old' }, 'an old one to a new replica');
  t.equal(await world.mark(), mark);
  t.equal(world.writes.length, 2);
});

t.test('two replicas that get the same message at once write one mark', async (t) => {
  const world = await stage(t);
  const replicas = [world, world.startReplica(), world.startReplica()];
  const letter = JSON.stringify(world.letter());
  const answers = await Promise.all(replicas.map(({ post }) => post(letter)));
  t.same(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  t.same(answers.map(({ outcome }) => outcome).sort(), ['nudged', 'old', 'old']);
  t.equal((await world.rds()).metadata.generation, 1);
});

t.test('a mark that somebody wrote by hand does not hold alarms up', async (t) => {
  const world = await stage(t);
  const body = { metadata: { annotations: { [ANNOTATIONS.alarm]: 'zzz' } } };
  const path = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/shop';
  const contentType = 'application/merge-patch+json';
  await world.kube({ method: 'PATCH', path, body, contentType, deadlineMs: 1_000 });
  t.match(await world.post(JSON.stringify(world.letter())), { outcome: 'nudged' });
});

t.test('an Rds that changes meanwhile is looked at again', async (t) => {
  const path = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/shop';
  const edit = async (world: Awaited<ReturnType<typeof stage>>, n: number) => {
    const body = { metadata: { annotations: { edit: `${n}` } } };
    await world.kube({
      method: 'PATCH',
      path,
      body,
      contentType: 'application/merge-patch+json',
      deadlineMs: 1,
    });
  };
  const world = await stage(t);
  let edits = 0;
  world.cluster.beforePatch = async () => {
    if (edits < 2) await edit(world, ++edits);
  };
  t.match(await world.post(JSON.stringify(world.letter())), { outcome: 'nudged' });
  t.match((await world.rds()).metadata.annotations, { edit: '2', [ANNOTATIONS.alarm]: String });

  const busy = await stage(t);
  let turns = 0;
  busy.cluster.beforePatch = () => edit(busy, ++turns);
  const letter = JSON.stringify(busy.letter());
  t.same(await busy.post(letter), { status: 403, body: '', outcome: 'unavailable' }, 'not for ever');
  busy.cluster.beforePatch = async () => undefined;
  t.match(await busy.post(letter), { outcome: 'nudged' }, 'and it may come again');
});

t.test('what failed on our side is heard when it comes again', async (t) => {
  const world = await stage(t);
  const letter = JSON.stringify(world.letter());
  world.cluster.isDown = true;
  t.same(await world.post(letter), { status: 403, body: '', outcome: 'unavailable' });
  world.cluster.isDown = false;
  t.match(await world.post(letter), { status: 200, outcome: 'nudged' });
});

t.test('an invitation of our own topic is accepted, once, at a listed host', async (t) => {
  const world = await stage(t);
  world.smn.answers.set('/smn/subscription/confirm', text('{}'));
  const letter = JSON.stringify(world.letter({ type: 'SubscriptionConfirmation' }));
  t.same(await world.post(letter), { status: 200, body: '', outcome: 'confirmed' });
  t.same(await world.post(letter), { status: 200, body: '', outcome: 'replayed' });
  t.same(world.asked, [`https://${world.smn.host}/smn/${FILE}`, world.confirmLink()]);
  t.same(world.writes, []);
  t.match(world.lines.join(), /subscription to alarms is confirmed/);
  t.notMatch(world.lines.join(), 't0ken');
});

t.test('a link to confirm that is not listed is named to the operator', async (t) => {
  const world = await stage(t);
  const subscribe_url = world.confirmLink('console.otc.t-systems.com');
  await world.post(JSON.stringify(world.letter({ type: 'SubscriptionConfirmation', subscribe_url })));
  t.match(world.lines.join(), /confirmLink.*leads to console.otc.t-systems.com; SMN_EXTRA_HOSTS/);
});

t.test('a farewell is written down and nothing is done', async (t) => {
  const world = await stage(t);
  const letter = JSON.stringify(world.letter({ type: 'UnsubscribeConfirmation' }));
  t.same(await world.post(letter), { status: 200, body: '', outcome: 'unsubscribed' });
  t.equal(world.asked.length, 1, 'the link is not opened');
  t.same(world.writes, []);
  t.match(world.lines.join(), /"namespace":"team-a","name":"shop".*cancelled/);
});

t.test("a topic in a tenant's project is known from the journal", async (t) => {
  const world = await stage(t);
  const urn = (uid: string) => world.topicUrn(uid).replace(PROJECT, OTHER_PROJECT);
  const uid = await world.addRds('tenant', { endpoint: ENDPOINT });
  const refused = await world.post(JSON.stringify(world.letter({ topic_urn: urn(uid) })));
  t.equal(refused.outcome, 'foreignTopic');
  const lease = `/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-${uid}`;
  const journal = JSON.stringify({ topicUrn: urn(uid) });
  const body = { metadata: { annotations: { [ANNOTATIONS.journal]: journal } } };
  const contentType = 'application/merge-patch+json';
  await world.kube({ method: 'PATCH', path: lease, body, contentType, deadlineMs: 1_000 });
  t.match(await world.post(JSON.stringify(world.letter({ topic_urn: urn(uid) }))), { outcome: 'nudged' });
  t.ok(await world.mark('tenant'));
  t.equal(await world.mark(), undefined);
});

t.test('a certificate is fetched once an hour, and judged each time', async (t) => {
  const world = await stage(t);
  world.smn.answers.set(`/smn/${FILE}`, text(certificate({ until: NOW + 2 * 3_600_000 })));
  const next = async (ms: number) => {
    world.time.now += ms;
    world.time.elapsed += ms;
    return (await world.post(JSON.stringify(world.letter({ timestamp: stamp(world.time.now) })))).outcome;
  };
  t.equal(await next(0), 'nudged');
  t.equal(await next(30 * MINUTE), 'nudged');
  t.equal(world.asked.length, 1);
  t.equal(await next(31 * MINUTE), 'nudged');
  t.equal(world.asked.length, 2, 'asked again after an hour');
  t.equal(await next(59 * MINUTE + 30_000), 'certificateTrust', 'it expired while we had it');
  t.equal(world.asked.length, 2);
});

t.test('many messages at once fetch the certificate once', async (t) => {
  const world = await stage(t);
  const letters = Array.from({ length: 20 }, () => JSON.stringify(world.letter({ message: 'hello' })));
  const answers = await Promise.all(letters.map((letter) => world.post(letter)));
  t.ok(answers.every(({ status }) => status === 200));
  t.equal(world.asked.length, 1);
});

t.test('made-up links drive no certificate out and ask the cloud for little', async (t) => {
  const world = await stage(t);
  t.match(await world.post(JSON.stringify(world.letter())), { outcome: 'nudged' });
  for (let n = 0; n < 50; n++) {
    const file = FILE.replace(/\w{4}\.pem/, `${n}`.padStart(4, '0').concat('.pem'));
    const signing_cert_url = `https://${world.smn.host}/smn/${file}`;
    await world.post(JSON.stringify({ ...world.letter(), signing_cert_url }));
  }
  t.equal(world.asked.length, 10, 'ten in a row, then one in five seconds');
  world.time.now += MINUTE;
  t.match(await world.post(JSON.stringify(world.letter())), { outcome: 'nudged' });
  t.equal(world.asked.length, 10, 'the good one is still there');
});

t.test('a certificate may come with the authorities between it and the trusted one', async (t) => {
  const world = await stage(t);
  world.smn.answers.set(`/smn/${FILE}`, text(`${certificate({ by: middle })}${middle.pem}`));
  t.match(await world.post(JSON.stringify(world.letter())), { outcome: 'nudged' });
});

t.test('messages up to the limits of age are heard', async (t) => {
  for (const ms of [-15 * MINUTE, MINUTE]) {
    const world = await stage(t);
    const letter = world.letter({ timestamp: stamp(NOW + ms) });
    t.match(await world.post(JSON.stringify(letter)), { outcome: 'nudged' }, `${ms}`);
  }
});

t.test('refusals are counted each and told once a minute', async (t) => {
  const world = await stage(t);
  for (let n = 0; n < 5; n++) await world.post('{}');
  t.same(world.outcomes, Array(5).fill('malformed'));
  t.equal(world.lines.length, 1);
  t.match(JSON.parse(world.lines[0] ?? ''), { reason: 'malformed', alike: 0 });
  world.time.elapsed += MINUTE;
  await world.post('{}');
  t.match(JSON.parse(world.lines[1] ?? ''), { reason: 'malformed', alike: 4 });
});

t.test('every path takes messages and no other method does', async (t) => {
  const world = await stage(t);
  const payload = JSON.stringify(world.letter());
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const) {
    const answer = await world.app.inject({ method, url: '/otc' });
    t.match(answer, { statusCode: 403, body: '' }, method);
  }
  for (const url of ['/healthz', '/metrics', '/openapi.json'])
    t.match(await world.app.inject({ method: 'GET', url }), { statusCode: 403, body: '' }, url);
  // SMN does not promise what it calls its content.
  const answer = await world.app.inject({
    method: 'POST',
    url: '/',
    payload,
    headers: { 'content-type': 'text/plain' },
  });
  t.match(answer, { statusCode: 200, body: '' });
  t.ok(await world.mark());
});
