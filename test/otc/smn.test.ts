import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { isSignedBy, readSmnMessage, type SmnMessage, signedTexts } from '../../src/otc/smn-message.ts';
import { makeCertificate } from '../../src/simulator/smn/certificate.ts';
import { servedSimulator } from './served-simulator.ts';

const ENDPOINT = 'https://alarms.example.com/otc';

t.test('topics and subscriptions can be asked for again and again', async (t) => {
  const { open, openByKeys, simulator } = await servedSimulator(t, { deliver: async () => 200 });
  const { urn } = await open().createTopic('shop_db');
  t.match(urn, /^urn:smn:eu-de:\w{32}:shop_db$/);
  t.same(await openByKeys().createTopic('shop_db'), { urn });
  t.same((await open().subscriptions(urn)).value, []);
  const subscription = await open().subscribe({ topicUrn: urn, endpoint: ENDPOINT });
  t.same(await openByKeys().subscribe({ topicUrn: urn, endpoint: ENDPOINT }), subscription);
  t.same((await openByKeys().subscriptions(urn)).value, [
    { id: subscription.urn, topicUrn: urn, protocol: 'https', endpoint: ENDPOINT, status: 'unconfirmed' },
  ]);
  for (let n = 0; n < 2; n++) await openByKeys().unsubscribe(subscription.urn);
  t.same((await open().subscriptions(urn)).value, []);
  for (let n = 0; n < 2; n++) await open().deleteTopic(urn);
  t.equal(simulator.calls().smn?.['DELETE /v2/{project}/notifications/topics/{urn}'], 2);
});

t.test('subscriptions come in pages', async (t) => {
  const { open, simulator } = await servedSimulator(t, { deliver: async () => 200 });
  const { urn } = await open().createTopic('many');
  for (let n = 0; n < 6; n++)
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        open().subscribe({ topicUrn: urn, endpoint: `https://a.example/${n * 20 + i}` }),
      ),
    );
  t.equal((await open().subscriptions(urn)).value.length, 120);
  t.equal(simulator.calls().smn?.['GET /v2/{project}/notifications/topics/{urn}/subscriptions'], 2);
});

/** A receiver on this machine that keeps what it gets. */
async function receiver(t: Test) {
  const got: { headers: Record<string, unknown>; body: string }[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    response.end();
    waiting.shift()?.();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const next = () => new Promise<void>((resolve) => waiting.push(resolve));
  return { got, next, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

t.test('a message over real http is confirmed, delivered, and verified with the certificate', async (t) => {
  const { open, simulator, url } = await servedSimulator(t);
  const { got, next, url: endpoint } = await receiver(t);
  const { urn } = await open().createTopic('shop');
  const token = simulator.state.tokens[0];
  const post = (path: string, body: unknown) =>
    fetch(`${url}/smn/v2/${token?.projectId}/notifications/topics/${urn}${path}`, {
      method: 'POST',
      headers: { 'x-auth-token': token?.id ?? '' },
      body: JSON.stringify(body),
    });
  const asked = next();
  // Our own client subscribes https only.
  t.equal((await post('/subscriptions', { protocol: 'http', endpoint })).status, 201);
  await asked;
  const confirmation = readSmnMessage(got[0]?.body ?? '');
  t.match(confirmation, { type: 'SubscriptionConfirmation', topicUrn: urn });
  t.equal((await fetch(confirmation?.subscribeUrl ?? '')).status, 200);
  t.match((await open().subscriptions(urn)).value, [{ endpoint, status: 'confirmed' }]);
  const told = next();
  await post('/publish', { subject: 'Hello', message: 'the disk is full' });
  await told;
  t.match(got[1]?.headers, { 'x-smn-message-type': 'Notification', 'x-smn-topic-urn': urn });
  const message = readSmnMessage(got[1]?.body ?? '');
  const pem = await (await fetch(message?.signingCertUrl ?? '')).text();
  t.match(message, { type: 'Notification', subject: 'Hello', message: 'the disk is full' });
  t.ok(message && isSignedBy(message, pem));
  t.ok(confirmation && isSignedBy(confirmation, pem));
  t.notOk(message && isSignedBy({ ...message, message: 'all is well' }, pem));
});

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const certificateFor = (key: typeof publicKey) =>
  makeCertificate({
    subject: 'smn.eu-de.otc.t-systems.com',
    publicKey: key,
    issuer: 'somebody',
    issuerKey: privateKey,
    serial: 7,
    from: Date.UTC(2020, 0, 1),
    until: Date.UTC(2040, 0, 1),
    isAuthority: false,
  });

const sent = {
  type: 'Notification',
  topic_urn: 'urn:smn:eu-de:p:shop',
  message_id: 'm-1',
  message: 'first\nsecond ü',
  subject: 'S',
  timestamp: '2026-01-01T00:00:00Z',
  signature: 'AAAA',
  signature_version: 'V1',
  signing_cert_url: 'https://smn.example/smn/SMN_eu-de_x.pem',
};
const read = (changes: Record<string, unknown> = {}): SmnMessage | undefined =>
  readSmnMessage(JSON.stringify({ ...sent, ...changes }));
const { subject: _subject, ...unnamed } = sent;

t.test('the text that is signed', (t) => {
  const needed = (message: SmnMessage | undefined) => (message ? signedTexts(message) : []);
  const head = 'message\nfirst\nsecond ü\nmessage_id\nm-1\n';
  const tail = 'timestamp\n2026-01-01T00:00:00Z\ntopic_urn\nurn:smn:eu-de:p:shop\ntype\n';
  t.same(needed(read()), [`${head}subject\nS\n${tail}Notification\n`]);
  t.same(needed(readSmnMessage(JSON.stringify(unnamed))), [`${head}${tail}Notification\n`]);
  t.same(needed(read({ subject: '' })), [
    `${head}${tail}Notification\n`,
    `${head}subject\n\n${tail}Notification\n`,
  ]);
  for (const type of ['SubscriptionConfirmation', 'UnsubscribeConfirmation'])
    t.same(needed(read({ type, subscribe_url: 'https://x.example/?a' })), [
      `${head}subscribe_url\nhttps://x.example/?a\n${tail}${type}\n`,
    ]);
  t.end();
});

t.test('what is no message of SMN', (t) => {
  const bad: Record<string, Record<string, unknown>> = {
    'an unknown type': { type: 'Other' },
    'no topic': { topic_urn: '' },
    'no id': { message_id: undefined },
    'no message': { message: undefined },
    'no time': { timestamp: 5 },
    'no signature': { signature: '' },
    'a signature that is no base64': { signature: 'AAA$' },
    'an unknown version': { signature_version: 'v2' },
    'no certificate': { signing_cert_url: undefined },
    'a confirmation without a link': { type: 'SubscriptionConfirmation' },
    'an id that moves the end of the message': { message_id: 'X\nmessage_id\nm-1' },
    'a subject that does so': { subject: 'S\ntimestamp\n' },
  };
  for (const [name, changes] of Object.entries(bad)) t.equal(read(changes), undefined, name);
  const twice = (again: string) => `{"${again}":"other",${JSON.stringify(sent).slice(1)}`;
  const nested = JSON.stringify({ ...sent, more: { type: 'Notification' } });
  for (const body of [twice('message'), twice('mess\\u0061ge'), nested])
    t.equal(readSmnMessage(body), undefined, body);
  t.ok(
    read({ message: 'a "quoted": \\ {"type": 1}', more: null }),
    'what looks like a field inside a text is none',
  );
  for (const body of ['', 'null', '[]', '"text"', '{']) t.equal(readSmnMessage(body), undefined, body);
  t.end();
});

t.test('only the owner of the certificate can have signed', (t) => {
  const signed = (text: string, key = privateKey) =>
    sign('sha256', Buffer.from(text), key).toString('base64');
  const message = read();
  if (!message) throw new Error('the sample is unreadable');
  const [text = ''] = signedTexts(message);
  const pem = certificateFor(publicKey);
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  t.ok(isSignedBy({ ...message, signature: signed(text) }, pem));
  t.notOk(isSignedBy({ ...message, signature: signed(text, other.privateKey) }, pem), 'another key');
  t.notOk(
    isSignedBy({ ...message, signature: signed(text) }, certificateFor(other.publicKey)),
    'other certificate',
  );
  t.notOk(
    isSignedBy({ ...message, signature: signed(text, weak.privateKey) }, certificateFor(weak.publicKey)),
    'a key that is too short',
  );
  t.notOk(isSignedBy({ ...message, signature: 'AAAA' }, pem));
  t.notOk(isSignedBy({ ...message, signature: signed(text) }, 'no certificate'));
  const empty = { ...message, subject: '' };
  for (const variant of signedTexts(empty)) t.ok(isSignedBy({ ...empty, signature: signed(variant) }, pem));
  t.end();
});
