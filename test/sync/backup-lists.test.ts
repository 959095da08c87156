// Each replica keeps lists of backups for hours. Two of them with lists of different age must not tell in turns.

import t from 'tap';
import { safetyPrefix } from '../../src/rds/names.ts';
import type { RdsStatus } from '../../src/rds/status.ts';
import { reportedBackups } from '../../src/sync/decide/backup-state.ts';
import type { Observed } from '../../src/sync/decide/observed.ts';
import { condition, createWorld, HOUR, MINUTE } from '../support/world.ts';

t.test('a list from when a backup was still being made does not take back the word of it', (t) => {
  const uid = '4bc725ab-a311-4c18-92e7-ba4969369b55';
  const backup = (id: string, status: string, beginAt: number) => ({
    ...{ id, status, beginAt, instanceId: 'i', type: 'manual', name: `${safetyPrefix(uid)}${id}` },
  });
  const backups = [backup('first', 'COMPLETED', 1), backup('second', 'BUILDING', 2)];
  const told = { beforeRestore: { id: 'second', name: 'n', restoreFrom: 'r' } };
  const observed = {
    rds: { metadata: { uid }, status: { backup: told } },
    cloud: { kind: 'glance', details: { backups } },
  } as unknown as Observed;
  t.same(reportedBackups(observed), { backup: told });
  t.end();
});

type Sync = { parent: { status?: RdsStatus } };

t.test('a replica with an older list of backups keeps what a newer one told', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', { flavorref: 'rds.mysql.c2.medium' });
  t.ok(await world.reaches('shop', 'Ready'));
  const latest = async () => (await world.status('shop')).backup?.lastAutomated?.id;
  /** Backups are made from one o'clock on; nobody needs to watch the hours between. */
  const sleepUntil = async (time: string) => {
    world.pauseLoops();
    await world.clock.advance(Date.parse(time) - world.clock.now());
    await world.restartReplica();
    await world.restartLoop();
    await world.clock.advance(2 * MINUTE);
  };
  await sleepUntil('2026-11-17T03:00:00Z');
  const first = await latest();
  t.ok(first, 'the first night is over');
  await sleepUntil('2026-11-18T00:30:00Z');
  await world.clock.advance(2 * HOUR);
  t.equal(await latest(), first, 'this replica has read its list before the second night');
  world.pauseLoops();
  const call = world.calls.findLast(({ path }) => path.endsWith('/sync'))?.body as Sync;
  const ask = async (app: typeof world.app, body: Sync) =>
    ((await app.inject({ method: 'POST', url: '/sync', payload: body })).json() as { status: RdsStatus })
      .status;
  const newer = await ask(await world.startReplica(), call);
  t.not(newer.backup?.lastAutomated?.id, first, 'a new replica knows of the second night');
  const older = await ask(world.app, { ...call, parent: { ...call.parent, status: newer } });
  t.same(older.backup, newer.backup);
  t.same(condition(older, 'BackupsReady'), condition(newer, 'BackupsReady'));
});
