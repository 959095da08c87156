import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import type { KubeConnection } from '../../src/kube/connection.ts';
import { createKubeHttp } from '../../src/kube/http.ts';

type Identity = { key: string; cert: string };

/** A self-signed certificate for localhost; nothing where there is no openssl. */
function makeCertificate(dir: string, name: string): Identity | undefined {
  const files = { key: `${dir}/${name}.key`, cert: `${dir}/${name}.crt` };
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject];
  try {
    execFileSync('openssl', [...make, '-keyout', files.key, '-out', files.cert], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return { key: readFileSync(files.key, 'utf8'), cert: readFileSync(files.cert, 'utf8') };
}

const dir = t.testdir({});
const made = makeCertificate(dir, 'server');
const stranger = makeCertificate(dir, 'stranger');
const skip = made && stranger ? false : 'no openssl on this machine';
const nothing: Identity = { key: '', cert: '' };
const [server, other] = [made ?? nothing, stranger ?? nothing];

type Seen = {
  method: string | undefined;
  url: string | undefined;
  headers: Record<string, unknown>;
  body: string;
};
type Teardown = { teardown(fn: () => unknown): void };

async function serve(t: Teardown, answer: (response: ServerResponse, seen: Seen) => void) {
  const seen: Seen[] = [];
  const listener = createServer(server, async (request: IncomingMessage, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const one = { method: request.method, url: request.url, headers: request.headers, body };
    seen.push(one);
    answer(response, one);
  });
  await new Promise<void>((resolve) => listener.listen(0, resolve));
  t.teardown(() => {
    listener.closeAllConnections();
    listener.close();
  });
  return { seen, url: `https://localhost:${(listener.address() as AddressInfo).port}` };
}

function open(t: Teardown, connection: Partial<KubeConnection> & { url: string }) {
  const http = createKubeHttp({
    ca: server.cert,
    cert: undefined,
    key: undefined,
    token: () => undefined,
    ...connection,
  });
  t.teardown(() => http.close());
  return http.call;
}

const ok = (response: ServerResponse) => response.writeHead(200).end('{"kind":"Lease"}');

t.test('a call goes out as it was meant and comes back as JSON', { skip }, async (t) => {
  const { url, seen } = await serve(t, ok);
  const call = open(t, { url, token: () => 'a-token' });
  t.same(await call({ method: 'GET', path: '/api/v1/x?limit=1', deadlineMs: 60_000 }), {
    status: 200,
    body: { kind: 'Lease' },
  });
  await call({ method: 'POST', path: '/api/v1/x', body: { a: 'ü' }, deadlineMs: 60_000 });
  await call({
    method: 'PATCH',
    path: '/api/v1/x',
    body: { b: 1 },
    contentType: 'application/merge-patch+json',
    deadlineMs: 60_000,
  });
  t.match(seen, [
    { method: 'GET', url: '/api/v1/x?limit=1', headers: { authorization: 'Bearer a-token' }, body: '' },
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":"ü"}' },
    { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body: '{"b":1}' },
  ]);
  t.notOk('content-type' in (seen[0]?.headers ?? {}), 'nothing is sent with a GET');
});

t.test('the token is asked for each time, and left out where there is none', { skip }, async (t) => {
  const { url, seen } = await serve(t, ok);
  const tokens = ['one', 'two', undefined];
  const call = open(t, { url, token: () => tokens.shift() });
  for (let count = 0; count < 3; count += 1) await call({ method: 'GET', path: '/', deadlineMs: 60_000 });
  t.same(
    seen.map(({ headers }) => headers.authorization),
    ['Bearer one', 'Bearer two', undefined],
  );
});

t.test('a refusal is an answer, not a failure', { skip }, async (t) => {
  const { url } = await serve(t, (response) => response.writeHead(403).end('{"message":"forbidden"}'));
  const call = open(t, { url });
  t.same(await call({ method: 'GET', path: '/', deadlineMs: 60_000 }), {
    status: 403,
    body: { message: 'forbidden' },
  });
});

t.test('an answer that is not JSON keeps its first words', { skip }, async (t) => {
  const { url } = await serve(t, (response) => response.writeHead(502).end(`<html>${'x'.repeat(900)}`));
  const { status, body } = await open(t, { url })({ method: 'GET', path: '/', deadlineMs: 60_000 });
  t.equal(status, 502);
  t.match(body, { message: /^<html>x+$/ });
  t.equal((body as { message: string }).message.length, 200);
});

t.test(
  'a server that our authority does not know is unreachable, with address and reason',
  { skip },
  async (t) => {
    const { url, seen } = await serve(t, ok);
    for (const ca of [other.cert, undefined]) {
      const call = open(t, { url, ca, token: () => 'S3cr3t' });
      await t.rejects(call({ method: 'GET', path: '/', deadlineMs: 60_000 }), {
        name: 'KubeUnreachable',
        message: new RegExp(`${url}.*certificate`),
      });
    }
    t.equal(seen.length, 0, 'and never saw the token');
  },
);

t.test('nobody there is unreachable, with address and reason', async (t) => {
  const call = open(t, { url: 'https://localhost:1', token: () => 'S3cr3t' });
  try {
    await call({ method: 'GET', path: '/', deadlineMs: 60_000 });
    t.fail('must throw');
  } catch (error) {
    t.match(error, { name: 'KubeUnreachable', message: /https:\/\/localhost:1 does not answer: .+/ });
    t.notMatch(String(error), /S3cr3t/);
  }
});

t.test('a server that is silent is given up at the deadline', { skip }, async (t) => {
  const { url } = await serve(t, () => {});
  const startedAt = Date.now();
  const call = open(t, { url });
  await t.rejects(call({ method: 'GET', path: '/', deadlineMs: 200 }), {
    name: 'KubeUnreachable',
    message: /timeout/,
  });
  t.ok(Date.now() - startedAt < 30_000, 'not when the connection gives up by itself');
});

t.test('so is one that begins to answer and stops', { skip }, async (t) => {
  const { url } = await serve(t, (response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"kind":');
  });
  await t.rejects(open(t, { url })({ method: 'GET', path: '/', deadlineMs: 200 }), {
    name: 'KubeUnreachable',
  });
});

t.test('a failed call is not repeated', { skip }, async (t) => {
  const { url, seen } = await serve(t, (response) => response.destroy());
  await t.rejects(open(t, { url })({ method: 'PUT', path: '/', body: {}, deadlineMs: 60_000 }), {
    name: 'KubeUnreachable',
  });
  t.equal(seen.length, 1);
});

t.test('a client certificate is shown', { skip }, async (t) => {
  const listener = createServer(
    { ...server, requestCert: true, rejectUnauthorized: true, ca: other.cert },
    (_, response) => response.end('{}'),
  );
  await new Promise<void>((resolve) => listener.listen(0, resolve));
  t.teardown(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const url = `https://localhost:${(listener.address() as AddressInfo).port}`;
  const request = { method: 'GET' as const, path: '/', deadlineMs: 60_000 };
  t.match(await open(t, { url, cert: other.cert, key: other.key })(request), { status: 200 });
  await t.rejects(open(t, { url })(request), { name: 'KubeUnreachable' });
});

t.test('a token that cannot be read is unreachable, too: nothing was sent', async (t) => {
  const call = open(t, {
    url: 'https://localhost:1',
    token: () => {
      throw new Error('ENOENT: no such file');
    },
  });
  await t.rejects(call({ method: 'GET', path: '/', deadlineMs: 500 }), { name: 'KubeUnreachable' });
});
