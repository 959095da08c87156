import t from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { createWorld, MINUTE, type World } from '../support/world.ts';
import { BASES, type ChangeRow, RESTARTING, ROWS } from './day-two-table.ts';

type Engine = ChangeRow['engines'][number];
const CODE = { MySQL: 'mysql', PostgreSQL: 'pg', SQLServer: 'mssql' } as const;

/** Fills the engine's short name and one of its parameters into a row. */
function forEngine(row: ChangeRow, engine: Engine): ChangeRow {
  const [name, value] = engine === 'SQLServer' ? ['', ''] : RESTARTING[engine];
  const text = JSON.stringify(row).replaceAll('{engine}', CODE[engine]).replaceAll('{restarting}', name);
  const filled = JSON.parse(text) as ChangeRow;
  const { parameters } = filled.after;
  if (parameters && Object.keys(parameters).length === 0) parameters[name] = value;
  return filled;
}

/** The calls that write, as `POST /action resize_flavor`. */
function recordWrites(world: World): string[] {
  const writes: string[] = [];
  world.onCloudCall(({ method, url, body }) => {
    const path = new URL(url).pathname
      .replace(/^.*\/v3\/[0-9a-f]+/, '')
      .replace(/^\/instances\/[0-9a-z]+/, '');
    if (method === 'GET' || url.includes('/auth/')) return;
    const parsed = (body === undefined || body === '' ? {} : JSON.parse(body)) as Record<string, unknown>;
    const verb = path === '/action' ? ` ${Object.keys(parsed)[0]}` : '';
    const tagging = path === '/tags/action' ? ` ${String(parsed.action)}` : '';
    writes.push(`${method} ${path}${verb}${tagging}`);
  });
  return writes;
}

function recordPlans(world: World): Set<string> {
  const plans = new Set<string>();
  world.api.watch(({ object }) => {
    const status =
      object.kind === 'Rds' ? (object.status as { plan?: { field: string; impact: string }[] }) : {};
    for (const { field, impact } of status?.plan ?? []) if (field !== 'spec') plans.add(`${field} ${impact}`);
  });
  return plans;
}

for (const template of ROWS) {
  for (const engine of template.engines) {
    const row = forEngine(template, engine);
    t.test(`${engine}: ${row.name}`, async (t) => {
      const world = await createWorld({
        simulator: { automatedBackups: false, networks: ['default', 'backend'] },
      });
      t.teardown(() => world.stop());
      const base: RdsSpec = { ...BASES[engine], ...row.before };
      await world.apply('shop', base);
      await world.clock.advance(20 * MINUTE);
      const writes = recordWrites(world);
      const plans = recordPlans(world);
      const restartsBefore = world.simulator.state.counts.restart ?? 0;
      await world.apply('shop', { ...BASES[engine], ...row.after });
      await world.clock.advance((row.minutes ?? 45) * MINUTE);
      t.same([...plans], row.told, 'told before');
      t.same(writes, row.calls, 'calls made');
      t.equal((world.simulator.state.counts.restart ?? 0) - restartsBefore, row.restarts, 'restarts');
      const { id } = await world.status('shop');
      t.match(
        world.simulator.state.instances.find((one) => one.id === id),
        row.ends,
      );
      await world.clock.advance(15 * MINUTE);
      t.same(writes, row.calls, 'and then silence');
    });
  }
}
