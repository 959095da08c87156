import t from 'tap';
import { createTimers } from '../../src/local/timers.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';

t.test('sleepers wake in order of time, then of arrival', async (t) => {
  const clock = createVirtualClock(1000);
  const woken: string[] = [];
  const sleep = async (name: string, ms: number) => {
    await clock.sleep(ms);
    woken.push(`${name}@${clock.now()}`);
  };
  void sleep('late', 20);
  void sleep('first', 10);
  void sleep('second', 10);
  void sleep('never', 1000);
  await clock.advance(100);
  t.strictSame(woken, ['first@1010', 'second@1010', 'late@1020']);
  t.equal(clock.now(), 1100);
  t.equal(clock.sleeping(), 1);
});

t.test('what a sleeper starts runs before time moves on', async (t) => {
  const clock = createVirtualClock(0);
  const seen: number[] = [];
  void (async () => {
    for (let round = 0; round < 3; round += 1) {
      await clock.sleep(10);
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(clock.now());
    }
  })();
  await clock.advance(30);
  t.strictSame(seen, [10, 20, 30]);
});

t.test('runUntil stops at the moment the predicate holds, or says that it never will', async (t) => {
  const clock = createVirtualClock(0);
  let count = 0;
  void (async () => {
    while (count < 5) {
      await clock.sleep(100);
      count += 1;
    }
  })();
  t.equal(await clock.runUntil(() => count === 3), true);
  t.equal(clock.now(), 300);
  t.equal(await clock.runUntil(() => count === 5, 150), false, 'not within 150 ms');
  t.equal(await clock.runUntil(() => count === 99), false, 'nobody sleeps any more');
  t.equal(await clock.runUntil(10_000), true);
  t.equal(clock.now(), 10_000);
});

t.test('timers fire in order, can be cancelled and need one sleeper', async (t) => {
  const clock = createVirtualClock(0);
  const timers = createTimers(clock);
  const fired: string[] = [];
  timers.after(30, () => fired.push('c'));
  timers.after(40, () => fired.push('d'));
  const cancel = timers.after(35, () => fired.push('cancelled'));
  t.equal(clock.sleeping(), 1);
  timers.after(10, () => {
    fired.push('a');
    timers.after(5, () => fired.push('b'));
  });
  cancel();
  await clock.advance(100);
  t.strictSame(fired, ['a', 'b', 'c', 'd']);
  timers.after(10, () => fired.push('cleared'));
  timers.clear();
  await clock.advance(100);
  t.strictSame(fired, ['a', 'b', 'c', 'd']);
});
