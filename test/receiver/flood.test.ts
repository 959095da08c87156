import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { Agent, request } from 'undici';
import { freePort, json, startServer, syncBody } from '../support/server-process.ts';
import { FILE, PROJECT, stamp } from './stage.ts';

const FLOOD = 3_000;
const AT_ONCE = 100;
const IDLE_CONNECTIONS = 60;
const HOOK_CALLS = 40;

/** As large as is taken, and right in every way that costs nothing to check. */
const forged = (n: number): string =>
  JSON.stringify({
    type: 'Notification',
    topic_urn: `urn:smn:eu-de:${PROJECT}:rds-pilot-00000000-0000-4000-8000-${`${n}`.padStart(12, '0')}`,
    message_id: `${n}`,
    message: 'x'.repeat(60_000),
    timestamp: stamp(Date.now()),
    signature: 'A'.repeat(344),
    signature_version: 'v1',
    signing_cert_url: `https://smn.eu-de.otc.t-systems.com/smn/${FILE}`,
  });

t.test('hooks are answered while the alarm port is flooded', async (t) => {
  const alarmPort = await freePort();
  const { port, output } = await startServer(t, { ALARM_PORT: `${alarmPort}` });
  t.match(output(), 'the alarm port is open');
  t.match(output(), /ALARM_PORT without an API server/);
  const dispatcher = new Agent({ connections: AT_ONCE });
  const idle = Array.from({ length: IDLE_CONNECTIONS }, () => connect(alarmPort, '127.0.0.1'));
  t.teardown(async () => {
    for (const socket of idle) socket.destroy();
    await dispatcher.destroy();
  });
  await Promise.all(idle.map((socket) => once(socket, 'connect')));

  const answers = new Map<string, number>();
  const note = (what: string) => answers.set(what, (answers.get(what) ?? 0) + 1);
  let sent = 0;
  async function flood(): Promise<void> {
    for (let n = sent++; n < FLOOD; n = sent++) {
      const body = n % 3 === 0 ? '{' : forged(n);
      await request(`http://127.0.0.1:${alarmPort}/`, {
        method: 'POST',
        body,
        headers: json,
        dispatcher,
      }).then(
        async (answer) => note(`${answer.statusCode} "${await answer.body.text()}"`),
        () => note('connection closed'),
      );
    }
  }
  const waves = Promise.all(Array.from({ length: AT_ONCE }, flood));
  const times: number[] = [];
  for (let n = 0; n < HOOK_CALLS; n++) {
    const at = performance.now();
    const answer = await request(`http://127.0.0.1:${port}/sync`, {
      method: 'POST',
      headers: json,
      body: syncBody(`${n}`),
    });
    t.equal(answer.statusCode, 200);
    await answer.body.dump();
    times.push(performance.now() - at);
  }
  const sentMeanwhile = Math.min(sent, FLOOD);
  await waves;
  const { body } = await request(`http://127.0.0.1:${port}/metrics`);
  const counted = (await body.text()).match(/^rds_pilot_alarm_messages_total.*$/gm);
  times.sort((a, b) => a - b);
  t.comment(
    `${HOOK_CALLS} hook calls during ${sentMeanwhile} messages: median ${times[HOOK_CALLS / 2]?.toFixed(0)} ms, longest ${times.at(-1)?.toFixed(0)} ms`,
  );
  t.comment(`answers: ${JSON.stringify([...answers])}`);
  t.comment(`counted: ${counted?.join(' ')}`);
  t.same(
    [...answers.keys()].filter((answer) => answer !== '403 ""' && answer !== 'connection closed'),
    [],
    'nobody learns anything',
  );
  t.notOk(counted?.some((line) => /nudged|confirmed/.test(line)));
  t.ok((output().match(/was refused/g) ?? []).length <= 20, 'the log stays short');
});
