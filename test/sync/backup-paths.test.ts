import t from 'tap';
import { applyBackup } from '../support/backups.ts';
import { createWorld, MINUTE, type World } from '../support/world.ts';
import { BASE, PATHS } from './backup-paths.ts';

/** The calls of the operator that write, as `POST /instances/{id}/tags/action create`. */
function recordWrites(world: World): string[] {
  const writes: string[] = [];
  world.onCloudCall(({ method, route, body }) => {
    const path = route.replace(/^\/v3\/\{project\}/, '');
    if (method === 'GET' || route.includes('/auth/')) return;
    const action = path.endsWith('/tags/action') ? /"action":"(\w+)"/.exec(body ?? '')?.[1] : undefined;
    writes.push(`${method} ${path}${action === undefined ? '' : ` ${action}`}`);
  });
  return writes;
}

for (const { name, before = {}, act, minutes = 90, writes: wanted } of PATHS) {
  t.test(name, async (t) => {
    const world = await createWorld({ simulator: { automatedBackups: false } });
    t.teardown(() => world.stop());
    await world.apply('shop', { ...BASE, ...before });
    t.ok(await world.reaches('shop', 'Ready'));
    await applyBackup(world, 'monday', { rds: 'shop' });
    await world.clock.advance(40 * MINUTE);
    const writes = recordWrites(world);
    await act(world);
    await world.clock.advance(minutes * MINUTE);
    t.same(writes, wanted);
  });
}
