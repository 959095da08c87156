// What `helm test` says to somebody whose certificate or token is wrong.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { makeTrust, type Trust } from './make-trust.ts';

const SCRIPT = join(import.meta.dirname, '../../deploy/chart/files/hook-test.mjs');
const run = promisify(execFile);

async function startHook(t: Test, { cert, key }: Trust, isReady = true): Promise<string> {
  const server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, (request, response) => {
    const isKnown = request.headers.authorization === 'Bearer good';
    if (request.url === '/readyz')
      response.writeHead(isReady ? 200 : 503).end('the namespace does not exist');
    else response.writeHead(isKnown ? 400 : 401).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `https://localhost:${address.port}`;
}

async function ask(dir: string, url: string, ca: string, token = 'good') {
  const tokenFile = join(dir, 'token');
  writeFileSync(tokenFile, token);
  const env = {
    HOOK_URL: url,
    CA_FILE: ca,
    TOKEN_FILE: tokenFile,
    TLS_SECRET: 'rds-pilot-tls',
    TOKEN_SECRET: 'rds-pilot-hook',
  };
  const said = (error: { stdout: string; stderr: string }) => ({
    ok: false,
    text: error.stdout + error.stderr,
  });
  return run(process.execPath, [SCRIPT], { env }).then(({ stdout }) => ({ ok: true, text: stdout }), said);
}

t.test('each mistake has its remedy', async (t) => {
  const dir = t.testdir({});
  const trust = makeTrust(join(dir, 'good'), 'localhost');
  const other = makeTrust(join(dir, 'other'), 'localhost');
  const elsewhere = makeTrust(join(dir, 'elsewhere'), 'rds-pilot.elsewhere.svc');
  const url = await startHook(t, trust);

  const good = await ask(dir, url, trust.ca);
  t.ok(good.ok, good.text);
  t.match(good.text, /ready, its certificate and its token are good/);

  const cases: [name: string, answer: Promise<{ ok: boolean; text: string }>, says: RegExp][] = [
    ['wrong CA', ask(dir, url, other.ca), /ca\.crt did not sign tls\.crt\. Repair the Secret rds-pilot-tls/],
    [
      'another name',
      ask(dir, await startHook(t, elsewhere), elsewhere.ca),
      /for another name\. Repair the Secret rds-pilot-tls/,
    ],
    [
      'not ready',
      ask(dir, await startHook(t, trust, false), trust.ca),
      /not ready: the namespace does not exist/,
    ],
    ['nobody there', ask(dir, 'https://localhost:1', trust.ca), /No replica is ready: kubectl describe pods/],
  ];
  for (const [name, answer, says] of cases) {
    const { ok, text } = await answer;
    t.notOk(ok, name);
    t.match(text, says, name);
  }
  const refused = await ask(dir, url, trust.ca, 'old');
  t.notOk(refused.ok);
  t.match(refused.text, /Secret rds-pilot-hook, `accepted` must contain `token`/);
});
