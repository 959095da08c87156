import { networkInterfaces } from 'node:os';
import t from 'tap';
import { request } from 'undici';
import { refusalOf } from '../../src/local/playground/guard.ts';
import { startStage } from './stage.ts';

const here = { host: '127.0.0.1:8082' };
const json = { 'content-type': 'application/json' };

const cases: { because: string; method?: string; headers: Record<string, string>; allowed: boolean }[] = [
  { because: 'the page itself', headers: { ...here, 'sec-fetch-site': 'none' }, allowed: true },
  { because: 'by its other name', headers: { host: 'localhost:8082' }, allowed: true },
  { because: 'by IPv6', headers: { host: '[::1]:8082' }, allowed: true },
  { because: 'curl', method: 'POST', headers: { ...here, ...json }, allowed: true },
  {
    because: 'its own script',
    method: 'POST',
    headers: { ...here, ...json, origin: 'http://127.0.0.1:8082', 'sec-fetch-site': 'same-origin' },
    allowed: true,
  },
  {
    because: 'a link on another page',
    headers: { ...here, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    allowed: true,
  },
  { because: 'a name that was pointed here', headers: { host: 'evil.example:8082' }, allowed: false },
  { because: 'a name that only looks right', headers: { host: '127.0.0.1.evil.example' }, allowed: false },
  { because: 'no name', headers: {}, allowed: false },
  {
    because: 'a script of another page',
    method: 'POST',
    headers: { ...here, ...json, origin: 'https://evil.example' },
    allowed: false,
  },
  {
    because: 'another port of this machine',
    method: 'POST',
    headers: { ...here, ...json, origin: 'http://127.0.0.1:3000' },
    allowed: false,
  },
  { because: 'a sandboxed frame', headers: { ...here, origin: 'null' }, allowed: false },
  {
    because: 'an image on another page',
    headers: { ...here, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    allowed: false,
  },
  {
    because: 'a form',
    method: 'POST',
    headers: { ...here, 'content-type': 'text/plain' },
    allowed: false,
  },
  { because: 'a delete without a body', method: 'DELETE', headers: here, allowed: false },
];

for (const { because, method = 'GET', headers, allowed } of cases)
  t.equal(
    refusalOf(method, headers) === undefined,
    allowed,
    `${because} is ${allowed ? 'answered' : 'refused'}`,
  );

t.test('the real page listens on loopback only and obeys the guard', async (t) => {
  const stage = await startStage(t, { speed: 60 });
  const ask = (headers: Record<string, string>) =>
    request(`${stage.page}/api/switch`, {
      method: 'POST',
      headers: { ...json, ...headers },
      body: JSON.stringify({ name: 'outage', on: true }),
    });
  const planted = async () =>
    ((await (await request(`${stage.cloud}/_sim/faults`)).body.json()) as { faults: unknown[] }).faults;

  t.equal((await ask({ origin: 'https://evil.example' })).statusCode, 403);
  t.same(await planted(), [], 'nothing happened');
  t.equal((await ask({})).statusCode, 200);
  t.equal((await planted()).length, 1, 'and without the foreign page it does');

  const { headers } = await request(stage.page);
  t.match(headers['content-security-policy'], /default-src 'none'; script-src 'self'/);
  t.notOk(headers['access-control-allow-origin']);

  const own = Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal);
  const { port } = new URL(stage.page);
  if (own) await t.rejects(request(`http://${own.address}:${port}/`), 'from the network nobody answers');
});
