import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import t from 'tap';
import { type OtcRequest, SendError } from '../../src/otc/send.ts';
import { createUndiciSend } from '../../src/otc/undici-send.ts';
import { failure } from './scripted-cloud.ts';

type Closer = { teardown(close: () => unknown): void };

function requestTo(url: string, more: Partial<OtcRequest> = {}): OtcRequest {
  return {
    service: 'rds',
    method: 'GET',
    url,
    route: '/v3/{project}/instances',
    headers: {},
    deadlineMs: 60_000,
    ...more,
  };
}

async function listen(t: Closer, server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.teardown(() => new Promise((done) => server.close(done)));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

function open(t: Closer, options: { ca?: string } = {}) {
  const { send, close } = createUndiciSend(options);
  t.teardown(close);
  return send;
}

const serve = (t: Closer, listener: RequestListener) => listen(t, createServer(listener));

/** How the connection of the first request ended, as its server saw it. */
function endingOf(
  server: ReturnType<typeof createTcpServer>,
  event: 'connection' | 'secureConnection',
): Promise<string> {
  return new Promise((resolve) => {
    server.on(event, (socket: Socket) => {
      socket.on('error', (error) => resolve('code' in error ? String(error.code) : error.message));
      socket.on('end', () => resolve('end'));
      socket.on('close', () => resolve('close'));
      socket.resume();
    });
  });
}

t.test('a request arrives whole, and so does its answer', async (t) => {
  const url = await serve(t, (request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const seen = { method: request.method, url: request.url, token: request.headers['x-auth-token'], body };
      response
        .writeHead(202, { 'X-Request-Id': 'r1', 'Set-Cookie': ['a=1', 'b=2'] })
        .end(JSON.stringify(seen));
    });
  });
  const response = await open(t)(
    requestTo(`${url}/v3/p/instances?name=a%20b`, {
      method: 'POST',
      headers: { 'x-auth-token': 'tok' },
      body: '{"ä":1}',
    }),
  );
  t.match(response, { status: 202, headers: { 'x-request-id': 'r1', 'set-cookie': 'a=1, b=2' } });
  t.same(JSON.parse(response.body), {
    method: 'POST',
    url: '/v3/p/instances?name=a%20b',
    token: 'tok',
    body: '{"ä":1}',
  });
});

t.test('connections are kept for the next request', async (t) => {
  const ports = new Set<number | undefined>();
  const url = await serve(t, (request, response) => {
    ports.add(request.socket.remotePort);
    response.end('{}');
  });
  const send = open(t);
  for (let n = 0; n < 5; n++) await send(requestTo(url));
  t.ok(ports.size < 3, 'a second one may open while the first is being put back');
});

t.test('a server that closes after each answer gets a new connection each time', async (t) => {
  const url = await serve(t, (_, response) => response.writeHead(200, { connection: 'close' }).end('{}'));
  const send = open(t);
  for (let n = 0; n < 5; n++) t.equal((await send(requestTo(url))).body, '{}');
});

t.test('a redirect is handed on, not followed', async (t) => {
  const url = await serve(t, (_, response) => response.writeHead(302, { location: '/elsewhere' }).end());
  t.equal((await open(t)(requestTo(url))).status, 302);
});

t.test('a server that does not answer runs into the deadline', async (t) => {
  const url = await serve(t, () => {});
  const startedAt = Date.now();
  const error = await failure(open(t)(requestTo(url, { deadlineMs: 150 })));
  t.ok(error instanceof SendError);
  t.match(error, { code: 'TIMEOUT' });
  t.ok(Date.now() - startedAt < 30_000, 'not when the connection gives up by itself');
});

t.test('the deadline covers a body that drips', async (t) => {
  const url = await serve(t, (_, response) => {
    const drip = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(drip));
  });
  t.match(await failure(open(t)(requestTo(url, { deadlineMs: 200 }))), { code: 'TIMEOUT' });
});

t.test('a write that is given up is reset, not closed', async (t) => {
  const server = createTcpServer();
  const ending = endingOf(server, 'connection');
  const url = await listen(t, server);
  const send = open(t);
  t.match(await failure(send(requestTo(url, { method: 'POST', body: '{}', deadlineMs: 1_000 }))), {
    code: 'TIMEOUT',
  });
  t.equal(await ending, 'ECONNRESET');
});

/** A self-signed certificate for localhost; nothing where there is no openssl. */
function makeCertificate(dir: string): { key: string; cert: string } | undefined {
  const files = { key: `${dir}/key.pem`, cert: `${dir}/cert.pem` };
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const make = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject];
  try {
    execFileSync('openssl', [...make, '-keyout', files.key, '-out', files.cert], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  return { key: readFileSync(files.key, 'utf8'), cert: readFileSync(files.cert, 'utf8') };
}

const identity = makeCertificate(t.testdir({}));
const skip = identity === undefined ? 'no openssl on this machine' : false;
const { key, cert } = identity ?? { key: '', cert: '' };

t.test('a private authority is trusted when given, and only then', { skip }, async (t) => {
  const url = await listen(
    t,
    createTlsServer({ key, cert }, (_, response) => response.end('{"ok":true}')),
  );
  const secureUrl = url.replace('http://127.0.0.1', 'https://localhost');
  t.match(await open(t, { ca: cert })(requestTo(secureUrl)), { status: 200, body: '{"ok":true}' });
  t.match(await failure(open(t)(requestTo(secureUrl))), { code: 'CONNECTION' });
});

t.test('a write that is given up is reset over TLS too', { skip }, async (t) => {
  const server = createTlsServer({ key, cert }, () => {});
  const ending = endingOf(server, 'secureConnection');
  const url = (await listen(t, server)).replace('http://127.0.0.1', 'https://localhost');
  const request = requestTo(url, { method: 'POST', body: '{}', deadlineMs: 3_000 });
  t.match(await failure(open(t, { ca: cert })(request)), { code: 'TIMEOUT' });
  t.equal(await ending, 'ECONNRESET');
});

t.test('after a reset the next request gets a new connection', async (t) => {
  let count = 0;
  const url = await serve(t, (_, response) => {
    count += 1;
    if (count > 1) response.end('{}');
  });
  const send = open(t);
  await failure(send(requestTo(url, { deadlineMs: 1_000 })));
  t.equal((await send(requestTo(url))).status, 200);
});

t.test('nobody listening, a cut answer and a bad URL are connection errors', async (t) => {
  const url = await serve(t, (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{');
    response.socket?.destroy();
  });
  const send = open(t);
  for (const target of ['http://127.0.0.1:1', url, 'not a url']) {
    const error = await failure(send(requestTo(target)));
    t.ok(error instanceof SendError);
    t.match(error, { code: 'CONNECTION' });
  }
});

t.test('an answer beyond 8 MB is given up, a big one below is read', async (t) => {
  const url = await serve(t, (request, response) => {
    response.on('error', () => {});
    response.end(Buffer.alloc(request.url === '/big' ? 7_000_000 : 9_000_000, ' '));
  });
  const send = open(t);
  t.equal((await send(requestTo(`${url}/big`))).body.length, 7_000_000);
  t.match(await failure(send(requestTo(`${url}/bigger`))), { code: 'CONNECTION', message: /too large/ });
});

t.test('close waits for nothing that is idle', async (t) => {
  const url = await serve(t, (_, response) => response.end('{}'));
  const { send, close } = createUndiciSend();
  await send(requestTo(url));
  await close();
  t.match(await failure(send(requestTo(url))), { code: 'CONNECTION' });
});
