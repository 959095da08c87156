import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import pino from 'pino';
import t from 'tap';
import { systemClock } from '../../src/clock.ts';
import { createGate } from '../../src/receiver/gate.ts';
import { createOwnService } from '../../src/receiver/own-service.ts';
import { createRefusalLog } from '../../src/receiver/refusal-log.ts';
import { createSeen } from '../../src/receiver/seen.ts';
import { stage } from './stage.ts';

function manualClock() {
  const time = { elapsed: 0 };
  return { time, clock: { ...systemClock, elapsed: () => time.elapsed } };
}

t.test('a gate lets so many in at once, and so many a second', async (t) => {
  const { time, clock } = manualClock();
  const gate = createGate(clock, { atOnce: 2, perSecond: 1, burst: 4 });
  const [first, second] = [gate.enter(), gate.enter()];
  t.ok(first && second);
  t.notOk(gate.enter(), 'full');
  first?.();
  first?.();
  t.ok(gate.enter(), 'one has left, however often it says so');
  t.notOk(gate.enter(), 'full again');
  second?.();
  gate.enter()?.();
  t.notOk(gate.enter(), 'four entered in this second');
  time.elapsed += 1_000;
  gate.enter()?.();
  t.notOk(gate.enter());
  time.elapsed += 3_600_000;
  const later = Array.from({ length: 10 }, () => gate.enter()).filter(Boolean);
  t.equal(later.length, 1, 'a long pause saves up no more than the burst, and one place was free');
});

t.test('a message is remembered for as long as it could be sent again, and no longer', async (t) => {
  const { time, clock } = manualClock();
  const seen = createSeen(clock, 1_000);
  t.ok(seen.isNew('a'));
  t.notOk(seen.isNew('a'));
  seen.forget('a');
  t.ok(seen.isNew('a'));
  time.elapsed += 1_000;
  t.notOk(seen.isNew('a'));
  time.elapsed += 1;
  t.ok(seen.isNew('a'));
  for (let n = 0; n < 10_000; n++) seen.isNew(`${n}`);
  t.ok(seen.isNew('a'), 'the oldest gives way');
  t.notOk(seen.isNew('9999'));
});

t.test('a cloud that cannot be asked is asked again after a pause, not for each message', async (t) => {
  const { time, clock } = manualClock();
  let asks = 0;
  let works = false;
  const own = createOwnService(
    async () => {
      asks += 1;
      if (!works) throw new Error('IAM is down');
      return { url: 'https://smn.example/v2/p', region: 'eu-de', projectId: 'p' };
    },
    [],
    clock,
  );
  for (let n = 0; n < 5; n++) await t.rejects(own(), { name: 'Refused', message: 'unavailable' });
  t.equal(asks, 1);
  works = true;
  time.elapsed += 30_000;
  for (let n = 0; n < 5; n++) t.match(await own(), { service: { projectId: 'p' } });
  t.equal(asks, 2);
  time.elapsed += 600_000;
  await own();
  t.equal(asks, 3, 'and a catalog can change');
});

t.test('the log names our own failure, not what the sender wrote', async (t) => {
  const lines: string[] = [];
  const { clock } = manualClock();
  const note = createRefusalLog(pino({}, { write: (line) => void lines.push(line) }), clock);
  note('unavailable', new Error('x', { cause: new Error(`connect ${'y'.repeat(500)}`) }));
  note('malformed', 'text');
  t.match(JSON.parse(lines[0] ?? ''), { reason: 'unavailable', cause: /^connect y{192}$/ });
  t.notMatch(lines[1], 'cause');
});

t.test('a body that comes drop by drop is given up', async (t) => {
  const world = await stage(t, { limits: { bodyBytes: 65_536, requestMs: 200, connections: 10 } });
  await world.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = world.app.server.address() as AddressInfo;
  for (const sent of [
    'POST / HTTP/1.1\r\nhost: x\r\n',
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"',
  ]) {
    const socket = connect(port, '127.0.0.1');
    socket.write(sent);
    socket.resume();
    await once(socket, 'close');
  }
  t.same(world.outcomes, ['slow', 'slow']);
});

t.test('more connections than allowed are closed, and the allowed ones go on', async (t) => {
  const world = await stage(t, { limits: { bodyBytes: 65_536, requestMs: 5_000, connections: 2 } });
  await world.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = world.app.server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const allowed = [await open(), await open()];
  const third = await open();
  third.resume();
  await once(third, 'close');
  const [socket] = allowed;
  socket?.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  t.match(String((await once(socket ?? third, 'data'))[0]), /^HTTP\/1.1 403 /);
  for (const one of allowed) one.destroy();
});

t.test('beyond its rate a message is refused before it is read', async (t) => {
  const world = await stage(t);
  for (let n = 0; n < 100; n++) await world.post('{}');
  const letter = JSON.stringify(world.letter());
  t.same(await world.post(letter), { status: 403, body: '', outcome: 'overload' });
  t.same(await world.post('x'.repeat(100_000)), { status: 403, body: '', outcome: 'overload' });
  world.time.elapsed += 1_000;
  t.match(await world.post(letter), { outcome: 'nudged' }, 'and is heard when it comes again');
});
