import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import t from 'tap';
import { isSignedBy, readSmnMessage } from '../../src/otc/smn-message.ts';
import { DEMO_PROJECT, OTHER_PROJECT } from '../../src/simulator/demo-account.ts';
import type { SimulatorOptions } from '../../src/simulator/options.ts';
import { serveSimulator } from '../../src/simulator/server.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import { smnRoutes } from '../../src/simulator/smn/routes.ts';
import type { Letter } from '../../src/simulator/smn/types.ts';
import { HOUR, type Json, MINUTE, passwordAuth, testCloud } from './test-cloud.ts';

const ENDPOINT = 'https://alarms.example.com/otc';
const URN = `urn:smn:eu-de:${DEMO_PROJECT.id}:shop`;

/** A cloud whose messages end in a list; `answer` is what the receiver says. */
async function talkingCloud(options: SimulatorOptions = {}) {
  const letters: Letter[] = [];
  const receiver = { answer: (): number => 200 };
  const deliver = async (letter: Letter) => {
    letters.push(letter);
    return receiver.answer();
  };
  const cloud = await testCloud({ automatedBackups: false, deliver, ...options });
  const { call, simulator } = cloud;
  const smn = async (method: string, path: string, body?: unknown) => {
    const reply = await call(method, `/smn/v2/${DEMO_PROJECT.id}/notifications${path}`, body);
    await simulator.delivered();
    return reply;
  };
  /** What a receiver does with a link: no token, but the whole address. */
  const open = async (link: string) => {
    const url = new URL(link);
    const reply = await call('GET', url.pathname + url.search, undefined, { 'x-auth-token': '' });
    await simulator.delivered();
    return reply;
  };
  const last = (): Json => JSON.parse(letters.at(-1)?.body ?? '{}');
  const subscribe = async (endpoint = ENDPOINT, more = {}): Promise<string> => {
    const body = { protocol: new URL(endpoint).protocol.slice(0, -1), endpoint, ...more };
    return (await smn('POST', `/topics/${URN}/subscriptions`, body)).body.subscription_urn;
  };
  const confirmed = async (endpoint = ENDPOINT): Promise<string> => {
    const urn = await subscribe(endpoint);
    await open(last().subscribe_url);
    return urn;
  };
  const settle = async () => {
    simulator.settle();
    await simulator.delivered();
  };
  await smn('POST', '/topics', { name: 'shop', display_name: 'Shop' });
  return { ...cloud, smn, open, letters, last, subscribe, confirmed, receiver, settle };
}

t.test('a topic is made once, however often it is asked for', async (t) => {
  const { smn, clock } = await talkingCloud();
  clock.advance(MINUTE);
  const first = await smn('POST', '/topics', { name: 'new' });
  t.match(first, { status: 201, body: { request_id: String, topic_urn: /^urn:smn:eu-de:\w{32}:new$/ } });
  const again = await smn('POST', '/topics', { name: 'new' });
  t.match(again, { status: 200, body: { topic_urn: first.body.topic_urn } });
  const list = (await smn('GET', '/topics')).body;
  t.match(list, {
    topic_count: 2,
    topics: [{ name: 'new' }, { name: 'shop', topic_urn: URN, display_name: 'Shop', push_policy: 0 }],
  });
  t.match((await smn('GET', '/topics?offset=1&limit=1')).body, {
    topic_count: 2,
    topics: [{ name: 'shop' }],
  });
  t.match(list.topics[0], { topic_id: /^\w{32}$/, create_time: '2025-01-01T10:01:00Z' });
  await smn('PUT', `/topics/${URN}`, { display_name: 'Other' });
  t.match(await smn('GET', `/topics/${URN}`), { status: 200, body: { display_name: 'Other' } });
  for (const name of ['', '_x', 'a b', 'a'.repeat(256)])
    t.match(await smn('POST', '/topics', { name }), { status: 400, body: { code: 'SMN.0002' } }, name);
  t.match(await smn('GET', '/topics?limit=101'), { status: 400, body: { code: 'SMN.0015' } });
  t.match(await smn('GET', '/topics/shop'), { status: 400, body: { code: 'SMN.0005' } });
  t.match(await smn('GET', `/topics/${URN}x`), {
    status: 404,
    body: { request_id: String, code: 'SMN.0006', message: String },
  });
});

t.test('an endpoint gets messages only when it has said yes', async (t) => {
  const { smn, open, letters, last, subscribe } = await talkingCloud();
  const urn = await subscribe(ENDPOINT, { extension: { header: { 'X-Key': 'v' } }, remark: 'hello' });
  t.match(urn, new RegExp(`^${URN}:\\w{32}$`));
  t.match(letters, [
    {
      url: ENDPOINT,
      headers: {
        'x-smn-message-type': 'SubscriptionConfirmation',
        'x-smn-message-id': last().message_id,
        'x-smn-topic-urn': URN,
        'x-key': 'v',
      },
    },
  ]);
  t.match(last(), {
    type: 'SubscriptionConfirmation',
    topic_urn: URN,
    timestamp: '2025-01-01T10:00:00Z',
    signature_version: 'v1',
    subscribe_url:
      /^http:\/\/127\.0\.0\.1:9090\/smn\/smn\/subscription\/confirm\?token=\w+&topic_urn=.*&region=eu-de/,
  });
  const listed = async () => (await smn('GET', `/topics/${URN}/subscriptions`)).body;
  t.match(await listed(), {
    subscription_count: 1,
    subscriptions: [
      {
        topic_urn: URN,
        subscription_urn: urn,
        protocol: 'https',
        endpoint: ENDPOINT,
        owner: DEMO_PROJECT.id,
        remark: 'hello',
        status: 0,
      },
    ],
  });
  await smn('POST', `/topics/${URN}/publish`, { message: 'too early' });
  t.equal(letters.length, 1);

  const { subscribe_url } = last();
  t.match(await open(subscribe_url.replace(/token=\w{4}/, 'token=0000')), {
    status: 403,
    body: { code: 'SMN.0022' },
  });
  t.match(await open(subscribe_url), { status: 200, body: { subscription_urn: urn } });
  t.equal((await listed()).subscriptions[0].status, 1);
  const sent = await smn('POST', `/topics/${URN}/publish`, { subject: 'Hi', message: 'words "ü"\n' });
  t.match(sent, { status: 200, body: { message_id: /^\w{32}$/ } });
  t.match(last(), {
    type: 'Notification',
    message_id: sent.body.message_id,
    subject: 'Hi',
    message: 'words "ü"\n',
    unsubscribe_url: String,
  });
  t.notOk('subscribe_url' in last());
});

t.test('asked again, an endpoint gets a new link; an old link ends after 48 hours', async (t) => {
  const { smn, open, letters, last, subscribe, clock, login } = await talkingCloud();
  const urn = await subscribe();
  const oldLink = last().subscribe_url;
  const again = await smn('POST', `/topics/${URN}/subscriptions`, { protocol: 'https', endpoint: ENDPOINT });
  t.match(again, { status: 200, body: { subscription_urn: urn } });
  t.equal(letters.length, 2);
  t.equal((await open(oldLink)).status, 403);
  const link = last().subscribe_url;
  clock.advance(48 * HOUR + 1);
  t.equal((await open(link)).status, 403);
  await login();
  await subscribe();
  t.equal((await open(last().subscribe_url)).status, 200);
  const count = letters.length;
  t.equal(await subscribe(), urn);
  t.equal(letters.length, count, 'who has said yes is not asked again');
});

t.test('an endpoint can leave, and is told so', async (t) => {
  const { smn, open, letters, last, confirmed } = await talkingCloud();
  const urn = await confirmed();
  await smn('POST', `/topics/${URN}/publish`, { message: 'one' });
  t.equal((await open(last().unsubscribe_url)).status, 200);
  t.match(last(), { type: 'UnsubscribeConfirmation', topic_urn: URN, subscribe_url: String });
  t.match((await smn('GET', '/subscriptions')).body, {
    subscriptions: [{ subscription_urn: urn, status: 3 }],
  });
  const count = letters.length;
  await smn('POST', `/topics/${URN}/publish`, { message: 'two' });
  t.equal(letters.length, count);
  await open(last().subscribe_url);
  await smn('POST', `/topics/${URN}/publish`, { message: 'three' });
  t.match(last(), { message: 'three' }, 'and may come back');
});

t.test('the certificate, its authority, and what they sign', async (t) => {
  const { call, smn, open, last, subscribe } = await talkingCloud();
  const urn = await subscribe();
  const confirmation = JSON.stringify(last());
  await open(last().subscribe_url);
  await smn('POST', `/topics/${URN}/publish`, { subject: 'S', message: 'with a subject' });
  const notification = last();
  const reply = await open(notification.signing_cert_url);
  t.equal(reply.status, 200);
  t.match(notification.signing_cert_url, /\/smn\/SMN_eu-de_[0-9a-f]{32}\.pem$/);
  t.equal((await open(notification.signing_cert_url.replace(/\w{4}\.pem/, '0000.pem'))).status, 404);
  const certificate = new X509Certificate(reply.text);
  const authority = new X509Certificate((await call('GET', '/_sim/smn-ca')).body.pem);
  t.match(certificate.subject, 'CN=smn.eu-de.otc.t-systems.com');
  t.ok(certificate.checkIssued(authority) && certificate.verify(authority.publicKey));
  t.ok(authority.ca && !certificate.ca && authority.verify(authority.publicKey));
  t.ok(certificate.checkHost('smn.eu-de.otc.t-systems.com'));

  const isGenuine = (body: string) => {
    const message = readSmnMessage(body);
    return message !== undefined && isSignedBy(message, reply.text);
  };
  t.ok(isGenuine(confirmation));
  t.ok(isGenuine(JSON.stringify(notification)));
  await smn('POST', `/topics/${URN}/publish`, { message: 'without one\nmessage_id\nX' });
  t.ok(isGenuine(JSON.stringify(last())));
  await open(last().unsubscribe_url);
  t.ok(isGenuine(JSON.stringify(last())));

  for (const field of ['message', 'message_id', 'subject', 'timestamp', 'topic_urn', 'signature'])
    t.notOk(
      isGenuine(JSON.stringify({ ...notification, [field]: `${notification[field]}x` })),
      `a changed ${field}`,
    );
  const stolen = { ...JSON.parse(confirmation), subscribe_url: 'https://evil.example/' };
  t.notOk(isGenuine(JSON.stringify(stolen)), 'a changed link');
  t.equal((await smn('DELETE', `/subscriptions/${urn}`)).status, 200);
});

t.test('a message that is not taken is tried six more times, then dropped', async (t) => {
  const { smn, clock, letters, receiver, confirmed, settle, simulator } = await talkingCloud();
  await confirmed();
  letters.length = 0;
  receiver.answer = () => 500;
  const { message_id } = (await smn('POST', `/topics/${URN}/publish`, { message: 'm' })).body;
  t.equal(letters.length, 1, 'at once');
  for (let minute = 0; minute < 20; minute++) {
    clock.advance(MINUTE / 2);
    await settle();
  }
  t.equal(letters.length, 7);
  t.equal(new Set(letters.map(({ body }) => body)).size, 1, 'always the same message');
  t.match(simulator.state.messages.at(-1), {
    messageId: message_id,
    tries: 7,
    state: 'dropped',
    lastStatus: 500,
  });
});

t.test('a message that is taken in the end, late, is not sent again', async (t) => {
  const { smn, clock, letters, receiver, confirmed, settle, simulator } = await talkingCloud();
  await confirmed();
  letters.length = 0;
  receiver.answer = () => {
    if (letters.length < 3) throw new Error('no connection');
    return 204;
  };
  await smn('POST', `/topics/${URN}/publish`, { message: 'm' });
  for (let minute = 0; minute < 10; minute++) {
    clock.advance(MINUTE);
    await settle();
  }
  t.equal(letters.length, 3);
  t.match(simulator.state.messages.at(-1), { tries: 3, state: 'delivered', lastStatus: 204 });
});

t.test('a message does not outlive its time, its subscription or its topic', async (t) => {
  const { smn, clock, letters, receiver, confirmed, settle } = await talkingCloud();
  const urn = await confirmed();
  letters.length = 0;
  receiver.answer = () => 503;
  await smn('POST', `/topics/${URN}/publish`, { message: 'short', time_to_live: '5' });
  clock.advance(MINUTE);
  await settle();
  t.equal(letters.length, 1, 'ten seconds are more than five');
  await smn('POST', `/topics/${URN}/publish`, { message: 'm' });
  t.equal((await smn('DELETE', `/subscriptions/${urn}`)).status, 200);
  clock.advance(MINUTE);
  await settle();
  t.equal(letters.length, 2);
  await confirmed('https://other.example.com/');
  t.equal((await smn('DELETE', `/topics/${URN}`)).status, 200);
  t.match((await smn('GET', '/subscriptions')).body, { subscription_count: 0 });
  t.match(await smn('POST', `/topics/${URN}/publish`, { message: 'm' }), { status: 404 });
});

t.test('waiting messages and subscriptions are saved', async (t) => {
  const first = await talkingCloud();
  await first.confirmed();
  first.receiver.answer = () => 500;
  await first.smn('POST', `/topics/${URN}/publish`, { message: 'kept' });
  const second = await talkingCloud();
  second.simulator.load(first.simulator.save());
  second.clock.advance(10_000);
  await second.settle();
  t.match(second.last(), { message: 'kept' });
});

const cpuRule = (id: string, urn = URN) => ({
  alarm_name: 'shop-cpu',
  alarm_description: 'too busy',
  metric: {
    namespace: 'SYS.RDS',
    metric_name: 'rds001_cpu_util',
    dimensions: [{ name: 'rds_cluster_id', value: id }],
  },
  condition: {
    period: 300,
    filter: 'average',
    comparison_operator: '>=',
    value: 90,
    unit: '%',
    count: 3,
    suppress_duration: 1800,
  },
  alarm_actions: [{ type: 'notification', notificationList: [urn] }],
  ok_actions: [{ type: 'notification', notificationList: [urn] }],
});

t.test('an alarm is told when it begins, while it lasts and when it ends', async (t) => {
  const { build, call, clock, letters, last, confirmed, settle } = await talkingCloud();
  await confirmed();
  const id = await build();
  const ces = (method: string, path: string, body?: unknown) =>
    call(method, `/ces/V1.0/${DEMO_PROJECT.id}${path}`, body);
  const { alarm_id } = (await ces('POST', '/alarms', cpuRule(id))).body;
  await call('POST', '/_sim/load', { id, cpu: 95.5 });
  letters.length = 0;
  const pass = async (minutes: number) => {
    clock.advance(minutes * MINUTE);
    await settle();
  };
  await pass(14);
  t.equal(letters.length, 0);
  await pass(1);
  t.equal(letters.length, 1);
  t.match(last(), { type: 'Notification', subject: /Major Alarm/, topic_urn: URN });
  t.match(JSON.parse(last().message), {
    message_type: 'alarm',
    alarm_id,
    alarm_name: 'shop-cpu',
    alarm_status: 'alarm',
    time: clock.now(),
    namespace: 'SYS.RDS',
    metric_name: 'rds001_cpu_util',
    dimension: `rds_cluster_id:${id}`,
    period: 300,
    filter: 'average',
    comparison_operator: '>=',
    value: 90,
    unit: '%',
    count: 3,
    alarmValue: [{ value: 95.5 }, { value: 95.5 }, { time: clock.now() - 5 * MINUTE, value: 95.5 }],
    template_variable: {
      ResourceId: id,
      IsAlarm: true,
      IsCycleTrigger: false,
      AlarmLevel: 'Major',
      CurrentData: '95.50%',
      AlarmDesc: 'too busy',
      Period: '5 minutes',
      Filter: 'Avg.',
      Value: '90.00%',
    },
  });
  await pass(29);
  t.equal(letters.length, 1);
  await pass(1);
  t.equal(letters.length, 2, 'again after 30 minutes');
  t.match(JSON.parse(last().message), { alarm_status: 'alarm', template_variable: { IsCycleTrigger: true } });
  await call('POST', '/_sim/load', { id, cpu: 10 });
  await pass(5);
  t.equal(letters.length, 3);
  t.match(JSON.parse(last().message), { alarm_status: 'ok', template_variable: { IsAlarm: false } });
  await pass(60);
  t.equal(letters.length, 3);
});

t.test('nobody is told when actions are off, or when the topic does not let Cloud Eye in', async (t) => {
  const { build, call, clock, smn, letters, confirmed, settle } = await talkingCloud();
  await confirmed();
  const id = await build();
  const ces = (method: string, path: string, body?: unknown) =>
    call(method, `/ces/V1.0/${DEMO_PROJECT.id}${path}`, body);
  await ces('POST', '/alarms', { ...cpuRule(id), alarm_action_enabled: false });
  await ces('POST', '/alarms', cpuRule(id, `${URN}-that-is-not-there`));
  await call('POST', '/_sim/load', { id, cpu: 99 });
  letters.length = 0;
  clock.advance(20 * MINUTE);
  await settle();
  t.equal(letters.length, 0);
  const policy = (...services: string[]) =>
    JSON.stringify({ Statement: [{ Principal: { Service: services } }] });
  const attribute = `/topics/${URN}/attributes/access_policy`;
  t.equal((await smn('PUT', attribute, { value: policy('obs') })).status, 200);
  t.match((await smn('GET', `/topics/${URN}/attributes`)).body, {
    attributes: { access_policy: policy('obs') },
  });
  await ces('POST', '/alarms', cpuRule(id));
  clock.advance(5 * MINUTE);
  await settle();
  t.equal(letters.length, 0, 'the policy names another service');
  await smn('PUT', attribute, { value: policy('ces') });
  clock.advance(30 * MINUTE);
  await settle();
  t.equal(letters.length, 1);
  t.equal((await smn('DELETE', attribute)).status, 200);
  t.same((await smn('GET', `/topics/${URN}/attributes`)).body.attributes, {});
  t.equal((await smn('PUT', `/topics/${URN}/attributes/odd`, { value: 'x' })).status, 400);
});

t.test('what SMN refuses', async (t) => {
  const { call, smn } = await talkingCloud({ allowInternalEndpoints: false });
  const subscribe = (protocol: string, endpoint: string, more = {}) =>
    smn('POST', `/topics/${URN}/subscriptions`, { protocol, endpoint, ...more });
  for (const [protocol, endpoint] of [
    ['https', 'http://a.example/'],
    ['http', 'nowhere'],
    ['https', 'https://'],
    ['email', 'nobody'],
    ['sms', 'abc'],
  ] as const)
    t.match(await subscribe(protocol, endpoint), { status: 400, body: { code: 'SMN.0012' } }, endpoint);
  for (const host of ['127.0.0.1', '10.1.2.3', '192.168.0.1', '172.16.0.1', '[::1]', 'localhost', 'a.svc'])
    t.match(await subscribe('https', `https://${host}/`), { status: 403, body: { code: 'SMN.0069' } }, host);
  t.equal((await subscribe('https', ENDPOINT, { remark: 'r'.repeat(129) })).status, 400);
  t.equal((await subscribe('https', ENDPOINT, { extension: { header: { host: 'x' } } })).status, 400);
  t.equal((await subscribe('https', ENDPOINT, { extension: { header: { 'x-smn-a': 'x' } } })).status, 400);
  t.equal((await subscribe('pigeon', ENDPOINT)).status, 400);
  t.equal((await subscribe('email', 'a@example.com')).status, 201);
  t.match(await smn('DELETE', '/subscriptions/x'), { status: 400, body: { code: 'SMN.0014' } });
  t.match(await smn('DELETE', `/subscriptions/${URN}:0`), { status: 404, body: { code: 'SMN.0013' } });
  const publish = (body: Json) => smn('POST', `/topics/${URN}/publish`, body);
  for (const body of [
    {},
    { message: 'm', subject: 's'.repeat(513) },
    { message: 'm'.repeat(256 * 1024 + 1) },
    { message: 'm', time_to_live: '0' },
    { message: 'm', time_to_live: 60 },
  ])
    t.equal((await publish(body)).status, 400);
  t.match(await call('GET', `/smn/v2/${OTHER_PROJECT.id}/notifications/topics`), {
    status: 403,
    body: { code: 'SMN.0010' },
  });
});

t.test('an endpoint is asked at most 200 times in ten minutes', async (t) => {
  const { clock, subscribe, smn } = await talkingCloud();
  for (let n = 0; n < 200; n++) await subscribe();
  const body = { protocol: 'https', endpoint: ENDPOINT };
  t.match(await smn('POST', `/topics/${URN}/subscriptions`, body), {
    status: 403,
    body: { code: 'SMN.0007' },
  });
  clock.advance(10 * MINUTE);
  t.equal((await smn('POST', `/topics/${URN}/subscriptions`, body)).status, 200);
});

t.test('no key of the simulator leaves it', async (t) => {
  const { call, simulator, confirmed } = await talkingCloud();
  await confirmed();
  const shown = [
    simulator.save(),
    (await call('GET', '/_sim/messages')).text,
    (await call('GET', '/_sim/smn-ca')).text,
  ];
  for (const text of shown) t.notMatch(text, /PRIVATE KEY/);
  const { pem } = JSON.parse(shown[2] ?? '{}');
  t.throws(() => createPrivateKey(pem));
  t.ok(createPublicKey(pem));
});

t.test('no body, query or id makes SMN fail', async (t) => {
  const { call, confirmed } = await talkingCloud();
  const urns = [URN, await confirmed(), '__proto__', 'constructor', '%', 'x'];
  const value = fc.constantFrom(
    null,
    true,
    1,
    '',
    'x',
    '1',
    'https',
    ENDPOINT,
    'access_policy',
    {},
    { header: [] },
  );
  const fields = [
    'name',
    'display_name',
    'protocol',
    'endpoint',
    'remark',
    'extension',
    'value',
    'message',
    '__proto__',
  ];
  const property = fc.asyncProperty(
    fc.constantFrom(...smnRoutes),
    fc.constantFrom(...urns),
    fc.dictionary(fc.constantFrom(...fields), value),
    fc.dictionary(
      fc.constantFrom('offset', 'limit', 'token', 'topic_urn', 'subscription_urn', 'name'),
      value,
    ),
    async (route, urn, body, query) => {
      const path = route.template.replace('{project}', DEMO_PROJECT.id).replace(/\{\w+\}/g, urn);
      const search = new URLSearchParams(query as Record<string, string>).toString();
      const reply = await call(route.method, `/smn${path}?${search}`, JSON.stringify(body));
      t.ok(reply.status < 500, `${route.method} ${path}`);
    },
  );
  await fc.assert(property, { seed: 1, numRuns: 500 });
});

t.test('a receiver that takes its time gets no second letter meanwhile', async (t) => {
  const pending: ((status: number) => void)[] = [];
  const deliver = () => new Promise<number>((resolve) => pending.push(resolve));
  const { call, clock, simulator } = await testCloud({ deliver });
  const smn = (path: string, body: unknown) =>
    call('POST', `/smn/v2/${DEMO_PROJECT.id}/notifications${path}`, body);
  await smn('/topics', { name: 'shop' });
  await smn(`/topics/${URN}/subscriptions`, { protocol: 'https', endpoint: ENDPOINT });
  t.equal(pending.length, 1);
  for (let minute = 0; minute < 20; minute++) {
    clock.advance(MINUTE);
    simulator.settle();
  }
  t.equal(pending.length, 1);
  pending[0]?.(500);
  await simulator.delivered();
  clock.advance(MINUTE);
  simulator.settle();
  t.equal(pending.length, 2, 'the next try comes after the end of the first');
  pending[1]?.(200);
  await simulator.delivered();
  t.match(simulator.state.messages, [{ state: 'delivered', tries: 2 }]);
});

t.test('behind a socket an alarm is told in time, though nobody calls', async (t) => {
  const simulator = createSimulator({ speed: 6_000 });
  const server = await serveSimulator(simulator);
  t.teardown(() => server.close());
  const told = Promise.withResolvers<Json>();
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.end();
    const body = JSON.parse(Buffer.concat(chunks).toString());
    if (body.subscribe_url) await fetch(body.subscribe_url);
    else told.resolve(JSON.parse(body.message));
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    receiver.close();
    receiver.closeAllConnections();
  });
  const login = await fetch(`${server.url}/v3/auth/tokens`, {
    method: 'POST',
    body: JSON.stringify(passwordAuth()),
  });
  const token = login.headers.get('x-subject-token') ?? '';
  const post = (path: string, body: unknown) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'x-auth-token': token },
      body: JSON.stringify(body),
    });
  const topics = `/smn/v2/${DEMO_PROJECT.id}/notifications/topics`;
  await post(topics, { name: 'shop' });
  const { port } = receiver.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}/`;
  await post(`${topics}/${URN}/subscriptions`, { protocol: 'http', endpoint });
  const { order } = await testCloud();
  const created = await post(`/rds/v3/${DEMO_PROJECT.id}/instances`, await order());
  const { id } = ((await created.json()) as Json).instance;
  const busy = { ...cpuRule(id).condition, value: 1 };
  t.equal(
    (await post(`/ces/V1.0/${DEMO_PROJECT.id}/alarms`, { ...cpuRule(id), condition: busy })).status,
    201,
  );
  const calls = JSON.stringify(simulator.calls().ces);
  t.match(await told.promise, { alarm_status: 'alarm', dimension: `rds_cluster_id:${id}` });
  t.equal(JSON.stringify(simulator.calls().ces), calls);
});
