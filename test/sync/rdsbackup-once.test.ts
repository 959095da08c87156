import type { FastifyInstance } from 'fastify';
import t from 'tap';
import { KubeUnreachable } from '../../src/kube/api.ts';
import { createJournalStore } from '../../src/kube/journal.ts';
import { createReadLiveBackup } from '../../src/kube/live.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import {
  applyBackup,
  backupIsGone,
  backupJournal,
  backupReaches,
  backupSays,
  backupStatus,
  callOnce,
  LIST,
  manualBackups,
  ORDER,
  orders,
  removeBackup,
  storedBackup,
  withShop,
} from '../support/backups.ts';
import { type Death, mortal } from '../support/mortal-replica.ts';
import { condition, HOUR, MINUTE, SECOND, type World } from '../support/world.ts';

const lostAnswers: { kind: Fault['kind']; lateMs?: number; because: string }[] = [
  { kind: '500-after', because: 'a 5xx after the effect is no refusal' },
  { kind: 'timeout-after', because: 'a time-out after the effect is no refusal' },
  { kind: 'connection', because: 'a cut connection tells nothing' },
  { kind: 'late', lateMs: 55 * SECOND, because: 'an effect that comes late is waited for' },
  { kind: 'truncated', because: 'an answer that cannot be read is no answer' },
  { kind: 'empty', because: 'an empty 200 names no backup' },
  { kind: '429', because: 'a refusal for pace is a refusal' },
];

for (const { kind, lateMs, because } of lostAnswers) {
  t.test(`${kind} on the order: one backup, because ${because}`, async (t) => {
    const world = await withShop(t);
    world.simulator.faults.add({ match: ORDER, kind, times: 1, ...(lateMs ? { lateMs } : {}) });
    await applyBackup(world, 'before', { rds: 'shop' });
    t.ok(
      await backupReaches(world, 'before', 'Completed'),
      JSON.stringify(await backupStatus(world, 'before')),
    );
    await world.clock.advance(10 * MINUTE);
    t.equal(manualBackups(world).length, 1);
    t.equal((await backupStatus(world, 'before')).id, manualBackups(world)[0]?.id);
  });
}

t.test(
  'an order that left nothing is repeated after the settle time and three empty lists, not before',
  async (t) => {
    const world = await withShop(t);
    world.simulator.faults.add({ match: ORDER, kind: 'timeout-before', times: 1 });
    await applyBackup(world, 'before', { rds: 'shop' });
    t.ok(await backupSays(world, 'before', 'OutcomeUnknown', MINUTE));
    const told = condition(await backupStatus(world, 'before'), 'Ready');
    t.match(told?.message, /not before 2026-11-16T08:1\d:\d\dZ/);
    await world.clock.advance(5 * MINUTE);
    t.equal(orders(world), 1, 'still one call after 300 s');
    t.ok(await backupReaches(world, 'before', 'Completed'));
    t.equal(orders(world), 2);
    t.equal(manualBackups(world).length, 1);
  },
);

t.test(
  'later than every bound: the cloud refuses the second of the same name, and the first is found',
  async (t) => {
    const world = await withShop(t);
    world.simulator.faults.add({ match: ORDER, kind: 'timeout-after', times: 1 });
    world.simulator.faults.add({ match: LIST, kind: 'empty-list', times: 60 });
    await applyBackup(world, 'before', { rds: 'shop' });
    t.ok(await backupReaches(world, 'before', 'Completed', 60 * MINUTE));
    t.ok(orders(world) >= 2, 'it was ordered again, after all bounds');
    t.equal(manualBackups(world).length, 1);
    t.equal((await backupStatus(world, 'before')).id, manualBackups(world)[0]?.id);
  },
);

t.test('two replicas that get the same calls order once', async (t) => {
  const world = await withShop(t);
  const other = await world.startReplica();
  t.teardown(() => other.close());
  await applyBackup(world, 'before', { rds: 'shop' });
  t.ok(await backupSays(world, 'before', 'Preparing', MINUTE));
  const shown = await storedBackup(world, 'before');
  const calls = Promise.all(
    [world.app, other, world.app, other].map((app) => callOnce(world, app, 'before', shown)),
  );
  await world.clock.advance(30 * SECOND);
  const codes = (await calls).map(({ code }) => code);
  t.ok(
    codes.every((code) => code === 200 || code === 429),
    `${codes}`,
  );
  t.ok(await backupReaches(world, 'before', 'Completed'));
  t.equal(orders(world), 1);
});

t.test('without the journal nothing is ordered and nothing is erased', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop' });
  const blind = await world.startReplica({
    journal: createJournalStore({
      call: async () => ({ status: 403, body: {} }),
      namespace: 'rds-pilot',
      nonce: () => 'n',
      deadlineMs: 100,
    }),
  });
  t.teardown(() => blind.close());
  const shown = await storedBackup(world, 'before');
  t.equal((await callOnce(world, blind, 'before', shown)).code, 503, 'nothing is known: no 200');
  t.ok(await backupReaches(world, 'before', 'Running'));
  const { id } = await backupStatus(world, 'before');
  t.equal((await callOnce(world, blind, 'before')).code, 200);
  const status = await backupStatus(world, 'before');
  t.equal(status.id, id);
  t.match(condition(status, 'Synced'), { status: 'Unknown', reason: 'JournalUnavailable' });
  t.equal(orders(world), 1);
});

t.test('without a live read, or too late in a call, nothing is ordered and no claim stays', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop' });
  await world.stop();
  const blind = await world.startReplica({
    readLiveBackup: async () => {
      throw new KubeUnreachable('no answer');
    },
  });
  const slow = await world.startReplica({
    readLiveBackup: async (backup) => {
      await world.clock.sleep(11 * SECOND);
      return backup;
    },
  });
  t.teardown(() => Promise.all([blind.close(), slow.close()]));
  await callOnce(world, blind, 'before');
  t.equal((await callOnce(world, blind, 'before')).code, 503);
  t.equal((await callOnce(world, slow, 'before')).code, 200);
  t.match(condition(await backupStatus(world, 'before'), 'Ready')?.message, /no time was left/);
  const uid = (await storedBackup(world, 'before'))?.metadata.uid;
  t.same(await backupJournal(world, uid), {}, 'the claim was freed');
  t.equal(orders(world), 0);
});

t.test(
  'a process without an API server orders nothing for older objects within the settle time',
  async (t) => {
    const world = await withShop(t);
    await applyBackup(world, 'before', { rds: 'shop' });
    await world.stop();
    await world.clock.advance(SECOND);
    const young = await world.startReplica({ memorySince: world.clock.now() });
    t.teardown(() => young.close());
    for (let calls = 0; calls < 3; calls += 1) await callOnce(world, young, 'before');
    t.match(
      condition(await backupStatus(world, 'before'), 'Ready')?.message,
      /no journal of the time before/,
    );
    t.equal(orders(world), 0);
    await world.clock.advance(5 * MINUTE);
    await callOnce(world, young, 'before');
    t.equal(orders(world), 1);
  },
);

t.test('a call from the past, after the object is gone, orders nothing', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop' });
  t.ok(await backupSays(world, 'before', 'Preparing', MINUTE));
  const past = await storedBackup(world, 'before');
  await removeBackup(world, 'before');
  t.ok(await backupIsGone(world, 'before', MINUTE));
  t.equal((await callOnce(world, world.app, 'before', past)).code, 429, 'its journal is closed');
  t.equal(orders(world), 0);
  await applyBackup(world, 'quick', { rds: 'shop' });
  const quick = await storedBackup(world, 'quick');
  await removeBackup(world, 'quick');
  t.equal(await storedBackup(world, 'quick'), undefined, 'gone before anybody saw it');
  for (let calls = 0; calls < 3; calls += 1) await callOnce(world, world.app, 'quick', quick);
  t.equal(orders(world), 0, 'a live read stands before the order');
});

t.test('a spec that was edited or deleted since it was shown orders nothing', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop' });
  const first = await storedBackup(world, 'before');
  await world.stop();
  const replica = await world.startReplica();
  t.teardown(() => replica.close());
  await callOnce(world, replica, 'before');
  const shown = { ...first, ...(await storedBackup(world, 'before')) };
  await applyBackup(world, 'before', { rds: 'shop', deletionPolicy: 'Delete' });
  t.equal((await callOnce(world, replica, 'before', shown as typeof first)).code, 429);
  t.equal(orders(world), 0);
});

/** A replica of its own dies; another one goes on. */
async function survives(
  world: World,
  healthy: FastifyInstance,
  name: string,
  death: Death,
): Promise<boolean> {
  let nonce = 0;
  const call = world.api.call;
  const { deps, isDead } = mortal(
    {
      journal: createJournalStore({
        call,
        namespace: 'rds-pilot',
        nonce: () => `${name}-${nonce++}`,
        deadlineMs: 2_500,
      }),
      readLiveBackup: createReadLiveBackup(call, 2_500),
      openCloud: createOpenCloud({ send: world.simulator.send, clock: world.clock, random: () => 0.5 }),
    },
    death,
  );
  const dying = await world.startReplica(deps);
  for (let calls = 0; calls < 8 && !isDead(); calls += 1) {
    await callOnce(world, dying, name);
    await world.clock.advance(SECOND);
  }
  await dying.close();
  for (let calls = 0; calls < 200; calls += 1) {
    await callOnce(world, healthy, name);
    if ((await backupStatus(world, name)).phase === 'Completed') return isDead();
    await world.clock.advance(10 * SECOND);
  }
  throw new Error(`${name}: ${JSON.stringify(await backupStatus(world, name))}`);
}

t.test(
  'a replica killed before or after any of its steps: one backup, found again by the next',
  async (t) => {
    const world = await withShop(t);
    await world.stop();
    const healthy = await world.startReplica();
    t.teardown(() => healthy.close());
    let deaths = 0;
    for (const when of ['before', 'after'] as const) {
      for (let step = 1; step <= 16; step += 1) {
        const name = `killed-${when}-${step}`;
        await applyBackup(world, name, { rds: 'shop' });
        if (await survives(world, healthy, name, { step, when })) deaths += 1;
        const uid = (await storedBackup(world, name))?.metadata.uid;
        const mine = manualBackups(world).filter((backup) => backup.name.startsWith(`team-a_${name}_`));
        t.equal(mine.length, 1, name);
        t.match(await backupJournal(world, uid), { id: mine[0]?.id }, 'and the journal knows it');
      }
    }
    t.ok(deaths >= 20, `${deaths} deaths`);
  },
);

t.test(
  'a lost journal and a list without the backup make no second one, however often it is asked',
  async (t) => {
    const world = await withShop(t);
    await applyBackup(world, 'before', { rds: 'shop' });
    t.ok(await backupReaches(world, 'before', 'Completed'));
    const { id } = await backupStatus(world, 'before');
    const uid = (await storedBackup(world, 'before'))?.metadata.uid;
    await world.kube('DELETE', `/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-${uid}`);
    world.simulator.faults.add({ match: LIST, kind: 'empty-list', times: 10_000 });
    // A new generation is looked at at once, and what has ended every six hours.
    await applyBackup(world, 'before', { rds: 'shop', deletionPolicy: 'Delete' });
    await world.clock.advance(13 * HOUR);
    t.match(condition(await backupStatus(world, 'before'), 'Ready'), { reason: 'BackupMissing' });
    t.equal((await backupStatus(world, 'before')).id, id);
    t.equal(orders(world), 1);
  },
);
