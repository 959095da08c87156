// Messages that must change nothing, each with the reason why it is refused and how many requests it may cause.

import { generateKeyPairSync } from 'node:crypto';
import type { Refusal } from '../../src/receiver/outcome.ts';
import {
  certificate,
  DAYS,
  expiredMiddle,
  foreign,
  layman,
  middle,
  NOW,
  namesake,
  otherKeys,
  rsa,
  scribe,
  signerKeys,
  unsigned,
} from './authorities.ts';
import { FILE, type Fields, PROJECT, type Stage, signature, stamp, text } from './stage.ts';

export type Forgery = {
  given: string;
  want: Refusal;
  /** Requests to other hosts; none unless told. */
  asks?: number;
  body: (stage: Stage) => string | Promise<string>;
};

const OTHER_PROJECT = 'f'.repeat(32);
const OTHER_UID = '9f00aa11-22bb-4c18-92e7-ba4969369b55';
const MINUTE = 60_000;
const SMN = 'smn.eu-de.otc.t-systems.com';

/** Signed as it is, then changed. */
const changed = (changes: Fields) => (stage: Stage) => JSON.stringify({ ...stage.letter(), ...changes });
/** Changed, then signed by the right key: SMN itself would have to send it. */
const signed = (changes: Fields) => (stage: Stage) => JSON.stringify(stage.letter(changes));

const linkTo = (given: string, link: (host: string) => string): Forgery => ({
  given: `a certificate ${given}`,
  want: 'certificateLink',
  body: (stage) => JSON.stringify({ ...stage.letter(), signing_cert_url: link(stage.smn.host) }),
});

const links: Forgery[] = [
  {
    given: 'a certificate of a host that is not listed and has the right one',
    want: 'certificateLink',
    body: (stage) =>
      JSON.stringify({ ...stage.letter(), signing_cert_url: `https://${stage.unlisted.host}/smn/${FILE}` }),
  },
  linkTo('by http', (host) => `http://${host}/smn/${FILE}`),
  linkTo('of a host that ends differently', () => `https://${SMN}.evil.example/smn/${FILE}`),
  linkTo('of a host that ends alike', () => `https://evil-${SMN}/smn/${FILE}`),
  linkTo('of a host below', () => `https://evil.${SMN}/smn/${FILE}`),
  linkTo('of a host above', () => `https://otc.t-systems.com/smn/${FILE}`),
  linkTo("of another region's service", () => `https://smn.eu-nl.otc.t-systems.com/smn/${FILE}`),
  linkTo('in a bucket called smn', () => `https://smn.obs.eu-de.otc.t-systems.com/smn/${FILE}`),
  linkTo("in another region's bucket", () => `https://obs.eu-nl.otc.t-systems.com/smn/${FILE}`),
  linkTo('on another port of the host', () => `https://${SMN}:8443/smn/${FILE}`),
  linkTo('on the usual port where another is listed', () => `https://localhost/smn/${FILE}`),
  linkTo(
    'of the address instead of the name',
    (host) => `https://${host.replace('localhost', '127.0.0.1')}/smn/${FILE}`,
  ),
  linkTo('of the name in capitals', (host) => `https://${host.toUpperCase()}/smn/${FILE}`),
  linkTo('of the name with a dot behind', () => `https://${SMN}./smn/${FILE}`),
  linkTo('with our host as the user', () => `https://${SMN}@evil.example/smn/${FILE}`),
  linkTo('with a user', (host) => `https://user@${host}/smn/${FILE}`),
  linkTo('with an empty user', (host) => `https://@${host}/smn/${FILE}`),
  linkTo('behind a backslash', (host) => `https://evil.example\\@${host}/smn/${FILE}`),
  linkTo('behind a line break', (host) => `https://${host}\n.evil.example/smn/${FILE}`),
  linkTo('behind a tab', (host) => `https://${host}/smn/\t${FILE}`),
  linkTo('in another folder', (host) => `https://${host}/uploads/${FILE}`),
  linkTo('by a way around', (host) => `https://${host}/smn/../uploads/${FILE}`),
  linkTo('by an encoded way around', (host) => `https://${host}/smn/%2e%2e%2fuploads%2f${FILE}`),
  linkTo('in a folder below', (host) => `https://${host}/smn/uploads/${FILE}`),
  linkTo('of another name', (host) => `https://${host}/smn/evil.pem`),
  linkTo('with a longer name', (host) => `https://${host}/smn/${FILE}.txt`),
  linkTo('of another region', (host) => `https://${host}/smn/${FILE.replace('eu-de', 'eu-nl')}`),
  linkTo('with a query', (host) => `https://${host}/smn/${FILE}?go=https://evil.example`),
  linkTo('with a fragment', (host) => `https://${host}/smn/${FILE}#x`),
  linkTo('that is a link to confirm', (host) => `https://${host}/smn/subscription/confirm`),
  linkTo('in the link itself', () => `data:application/x-pem-file,${encodeURIComponent(certificate())}`),
  linkTo('in a file', () => 'file:///etc/ssl/certs/ca.pem'),
  linkTo('at no address', () => 'certificate'),
  linkTo('at a very long address', (host) => `https://${host}/smn/${'/'.repeat(3_000)}${FILE}`),
];

const served = (
  given: string,
  want: Refusal,
  answer: (stage: Stage) => Parameters<Stage['smn']['answers']['set']>[1],
): Forgery => ({
  given,
  want,
  asks: 1,
  body: (stage) => {
    stage.smn.answers.set(`/smn/${FILE}`, answer(stage));
    return JSON.stringify(stage.letter());
  },
});
const shown = (given: string, pem: () => string, want: Refusal = 'certificateTrust') =>
  served(given, want, () => text(pem()));

const small = rsa(1_024);
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const certificates: Forgery[] = [
  served('a certificate behind a redirect', 'certificateFetch', (stage) => {
    stage.smn.answers.set('/smn/elsewhere.pem', text(certificate()));
    return text('', 302, { location: `https://${stage.smn.host}/smn/elsewhere.pem` });
  }),
  served('a redirect that has the certificate with it', 'certificateFetch', (stage) =>
    text(certificate(), 301, { location: `https://${stage.smn.host}/smn/elsewhere.pem` }),
  ),
  served('no certificate', 'certificateFetch', () => text('', 404)),
  served('a certificate with a refusal', 'certificateFetch', () => text(certificate(), 403)),
  served('an oversized certificate', 'certificateFetch', () =>
    text(`${certificate()}${'#'.repeat(64 * 1024)}`),
  ),
  served('a certificate that never ends', 'certificateFetch', () => (_request, response) => {
    response.writeHead(200).write(certificate());
  }),
  served('a host that never answers', 'certificateFetch', () => () => {}),
  served('a host that hangs up', 'certificateFetch', () => (request) => void request.socket.destroy()),
  shown('a damaged certificate', () => certificate().replace(/\n.{9}/, '\nAAAAAAAAA'), 'certificateFetch'),
  shown('a text that is no certificate', () => 'hello'),
  shown('an expired certificate', () => certificate({ until: NOW - 1_000 })),
  shown('a certificate that is not valid yet', () => certificate({ from: NOW + MINUTE })),
  shown('a certificate that signed itself', () =>
    certificate({ by: { name: SMN, keys: signerKeys, pem: '' } }),
  ),
  shown('a certificate of another authority', () => certificate({ by: foreign })),
  shown('another authority with its own certificate along', () => certificate({ by: foreign }) + foreign.pem),
  shown(
    'an authority that only has the name of the right one',
    () => certificate({ by: namesake }) + namesake.pem,
  ),
  shown('a certificate signed by one that is no authority', () => certificate({ by: layman }) + layman.pem),
  shown(
    'a certificate signed by a key that may sign, of one that is no authority',
    () => certificate({ by: scribe }) + scribe.pem,
  ),
  shown('a certificate whose own signature is wrong', () => unsigned(certificate())),
  shown(
    'an authority in between whose signature is wrong',
    () => certificate({ by: middle }) + unsigned(middle.pem),
  ),
  shown('an authority in between that has expired', () => certificate({ by: middle }) + expiredMiddle.pem),
  shown('an authority in between that is missing', () => certificate({ by: middle })),
  shown('a key that is too short', () => certificate({ publicKey: small.publicKey })),
  shown('a good certificate behind a bad one', () => certificate({ by: foreign }) + certificate()),
  shown('a key of another kind', () => certificate({ publicKey: curve.publicKey }), 'signature'),
  shown("another one's certificate", () => certificate({ publicKey: otherKeys.publicKey }), 'signature'),
  {
    given: 'a host that cannot prove its name',
    want: 'certificateFetch',
    asks: 1,
    body: (stage) =>
      JSON.stringify({ ...stage.letter(), signing_cert_url: `https://${stage.stranger.host}/smn/${FILE}` }),
  },
];

const altered = (given: string, changes: (stage: Stage) => Fields): Forgery => ({
  given,
  want: 'signature',
  asks: 1,
  body: (stage) => JSON.stringify({ ...stage.letter(), ...changes(stage) }),
});

const signatures: Forgery[] = [
  altered('another message', () => ({ message: '{"message_type":"alarm"}' })),
  altered('another id', () => ({ message_id: 'f'.repeat(32) })),
  altered('another subject', () => ({ subject: 'Other' })),
  altered('an empty subject', () => ({ subject: '' })),
  altered('another time', () => ({ timestamp: stamp(NOW - MINUTE) })),
  altered('the topic of another Rds', () => ({
    topic_urn: `urn:smn:eu-de:${PROJECT}:rds-pilot-${OTHER_UID}`,
  })),
  altered('another type', (stage) => ({
    type: 'UnsubscribeConfirmation',
    subscribe_url: stage.confirmLink(),
  })),
  altered('an invitation made of an alarm', (stage) => ({
    type: 'SubscriptionConfirmation',
    subscribe_url: stage.confirmLink(),
  })),
  altered('the signature of another message', (stage) => ({ signature: stage.letter().signature ?? '' })),
  altered('the signature of nothing', () => ({ signature: signature({ type: '' }) })),
  altered('a signature that is cut', (stage) => ({
    signature: stage.letter().signature?.slice(0, 100) ?? '',
  })),
  altered('a signature of one byte', () => ({ signature: 'AA==' })),
  {
    given: 'a signature by another key',
    want: 'signature',
    asks: 1,
    body: (stage) => JSON.stringify(stage.letter({}, otherKeys.privateKey)),
  },
  {
    given: 'an invitation with another link',
    want: 'signature',
    asks: 1,
    body: (stage) =>
      JSON.stringify({
        ...stage.letter({ type: 'SubscriptionConfirmation' }),
        subscribe_url: stage.confirmLink().replace('t0ken', 'other'),
      }),
  },
  {
    given: 'a message that swallows the id behind it',
    want: 'signature',
    asks: 1,
    body: (stage) => {
      const letter = stage.letter();
      const message = `${letter.message}\nmessage_id\n${letter.message_id}`;
      return JSON.stringify({ ...letter, message, message_id: 'f'.repeat(32) });
    },
  },
];

const malformed = (given: string, body: Forgery['body']): Forgery => ({ given, want: 'malformed', body });
const raw = (given: string, text: string): Forgery => malformed(given, () => text);
const without = (name: string): Forgery =>
  malformed(`no ${name}`, (stage) => {
    const { [name]: _gone, ...rest } = stage.letter();
    return JSON.stringify(rest);
  });

const shapes: Forgery[] = [
  raw('nothing', ''),
  raw('no JSON', 'type=Notification&message=hello'),
  raw('half of a JSON', '{"type":"Notification"'),
  raw('null', 'null'),
  raw('a list', '[{"type":"Notification"}]'),
  raw('bytes', '\u0000\uffff\u0001'),
  ...['type', 'topic_urn', 'message_id', 'message', 'timestamp', 'signature', 'signature_version'].map(
    without,
  ),
  without('signing_cert_url'),
  malformed('a number as the message', (stage) => JSON.stringify({ ...stage.letter(), message: 1 })),
  malformed('a list as the topic', (stage) => {
    const letter = stage.letter();
    return JSON.stringify({ ...letter, topic_urn: [letter.topic_urn] });
  }),
  malformed('an object as the link', (stage) =>
    JSON.stringify({
      ...stage.letter(),
      signing_cert_url: { href: `https://${stage.smn.host}/smn/${FILE}` },
    }),
  ),
  malformed('two messages', (stage) => `{"message":"first",${JSON.stringify(stage.letter()).slice(1)}`),
  malformed('two topics, one of them spelt differently', (stage) =>
    JSON.stringify(stage.letter()).replace(/}$/, ',"topic\\u005furn":"urn:smn:eu-de:x:y"}'),
  ),
  malformed('an unknown type', changed({ type: 'Alarm' })),
  malformed('another version of the signature', changed({ signature_version: 'v2' })),
  malformed('an empty signature', changed({ signature: '' })),
  malformed('a signature that is no base64', changed({ signature: 'AAA$' })),
  malformed('an id with a line break', signed({ message_id: 'a\ntimestamp\nb' })),
  malformed('an id that is a path', signed({ message_id: '../../secrets' })),
  malformed('a very long id', signed({ message_id: 'a'.repeat(65) })),
  malformed('an invitation without a link', (stage) => {
    const { subscribe_url: _gone, ...rest } = stage.letter({ type: 'SubscriptionConfirmation' });
    return JSON.stringify(rest);
  }),
  malformed('a time in words', signed({ timestamp: 'Mon, 16 Nov 2026 08:00:00 GMT' })),
  malformed('a time in another zone', signed({ timestamp: '2026-11-16T08:00:00+01:00' })),
  malformed('a day that does not exist', signed({ timestamp: '2026-13-45T08:00:00Z' })),
  { given: 'a body over 64 KiB', want: 'tooLarge', body: signed({ message: 'x'.repeat(64 * 1024) }) },
];

const times: Forgery[] = [
  {
    given: 'a message of 15 minutes and a second ago',
    want: 'late',
    body: signed({ timestamp: stamp(NOW - 15 * MINUTE - 1_000) }),
  },
  { given: 'a message of last year', want: 'late', body: signed({ timestamp: stamp(NOW - DAYS(365)) }) },
  {
    given: 'a message of a minute and a second from now',
    want: 'future',
    body: signed({ timestamp: stamp(NOW + MINUTE + 1_000) }),
  },
];

const topic = (given: string, urn: string | ((stage: Stage) => string), want: Refusal): Forgery => ({
  given,
  want,
  ...(want === 'topicName' ? {} : { asks: 1 }),
  body: (stage) => JSON.stringify(stage.letter({ topic_urn: typeof urn === 'string' ? urn : urn(stage) })),
});

const topics: Forgery[] = [
  topic('a topic of another name', `urn:smn:eu-de:${PROJECT}:shop`, 'topicName'),
  topic('the topic of the old operator', `urn:smn:eu-de:${PROJECT}:team-a_shop`, 'topicName'),
  topic('a topic with more behind the UID', (stage) => `${stage.topicUrn()}x`, 'topicName'),
  topic('a topic of another service', (stage) => stage.topicUrn().replace(':smn:', ':sns:'), 'topicName'),
  topic('a topic whose UID is a path', `urn:smn:eu-de:${PROJECT}:rds-pilot-../../secrets/x`, 'topicName'),
  topic('an unknown UID', (stage) => stage.topicUrn(OTHER_UID), 'unknownRds'),
  topic(
    'our name in the project of somebody else',
    (stage) => stage.topicUrn().replace(PROJECT, OTHER_PROJECT),
    'foreignTopic',
  ),
  {
    given: 'our name in another region',
    want: 'certificateLink',
    body: (stage) => JSON.stringify(stage.letter({ topic_urn: stage.topicUrn().replace('eu-de', 'eu-nl') })),
  },
  {
    given: 'our name in another region, whose certificate is listed',
    want: 'foreignTopic',
    asks: 1,
    body: (stage) => {
      const file = FILE.replace('eu-de', 'eu-nl');
      stage.smn.answers.set(`/smn/${file}`, text(certificate()));
      const topic_urn = stage.topicUrn().replace('eu-de', 'eu-nl');
      const signing_cert_url = `https://${stage.smn.host}/smn/${file}`;
      return JSON.stringify({ ...stage.letter({ topic_urn }), signing_cert_url });
    },
  },
  {
    given: 'an Rds that is being deleted',
    want: 'unknownRds',
    asks: 1,
    body: async (stage) => {
      await stage.removeRds('shop');
      return JSON.stringify(stage.letter());
    },
  },
  {
    given: 'an Rds that asks for no push',
    want: 'noPush',
    asks: 1,
    body: async (stage) => {
      const uid = await stage.addRds('quiet');
      return JSON.stringify(stage.letter({ topic_urn: stage.topicUrn(uid) }));
    },
  },
];

const invited = (given: string, link: (stage: Stage) => string): Forgery => ({
  given: `an invitation ${given}`,
  want: 'confirmLink',
  asks: 1,
  body: (stage) =>
    JSON.stringify(stage.letter({ type: 'SubscriptionConfirmation', subscribe_url: link(stage) })),
});

const invitations: Forgery[] = [
  invited('to a foreign host', (stage) => stage.confirmLink('evil.example')),
  invited('to a host that ends alike', (stage) => stage.confirmLink(`${SMN}.evil.example`)),
  invited('to a service inside', (stage) => stage.confirmLink('169.254.169.254')),
  invited('by http', (stage) => stage.confirmLink().replace('https:', 'http:')),
  invited('with our host as the user', (stage) => stage.confirmLink(`${stage.smn.host}@evil.example`)),
  invited('on another path', (stage) => stage.confirmLink().replace('/confirm', '/unsubscribe')),
  invited('to the topic of another', (stage) => stage.confirmLink(stage.smn.host, stage.topicUrn(OTHER_UID))),
  invited('to two topics', (stage) => `${stage.confirmLink()}&topic_urn=other`),
  invited('with a very long link', (stage) => stage.confirmLink().replace('t0ken', 'x'.repeat(3_000))),
  invited('without a token', (stage) => stage.confirmLink().replace('t0ken', '')),
  {
    given: 'an invitation that leads on to somewhere else',
    want: 'confirmFailed',
    asks: 2,
    body: (stage) => {
      const location = `https://${stage.smn.host}/smn/elsewhere`;
      stage.smn.answers.set('/smn/subscription/confirm', text('', 302, { location }));
      return JSON.stringify(stage.letter({ type: 'SubscriptionConfirmation' }));
    },
  },
  {
    given: "an invitation to somebody else's topic of our name",
    want: 'foreignTopic',
    asks: 1,
    body: (stage) => {
      const topic_urn = stage.topicUrn().replace(PROJECT, OTHER_PROJECT);
      const subscribe_url = stage.confirmLink(stage.smn.host, topic_urn);
      return JSON.stringify(stage.letter({ type: 'SubscriptionConfirmation', topic_urn, subscribe_url }));
    },
  },
];

export const FORGERIES: readonly Forgery[] = [
  ...links,
  ...certificates,
  ...signatures,
  ...shapes,
  ...times,
  ...topics,
  ...invitations,
];
