// The operator on a real API server, driven by the local loop and by the real Metacontroller; both histories
// of a scenario must be the same, but for the differences that are allowed with a reason.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { EngineName } from '../cluster/engine.ts';
import { metacontrollerHome } from '../cluster/metacontroller.ts';
import { unexplained } from './allowed-differences.ts';
import { startArena } from './arena.ts';
import { compareHistories } from './compare.ts';
import { SCENARIOS } from './scenarios/all.ts';
import { storeOldObjects } from './scenarios/stored-old.ts';
import { startSuite } from './suite.ts';

t.setTimeout(1_800_000);

const { home, notice } = metacontrollerHome();
const only = process.env.E2E_ONLY?.split(',');
const scenarios = SCENARIOS.filter(({ name }) => !only || only.includes(name));

const start = (name: EngineName, metacontroller: string | undefined) => {
  const arena = startArena(name, { metacontrollerHome: metacontroller, before: storeOldObjects }).then(
    async (ready) => {
      await ready.configure();
      return ready;
    },
  );
  return { arena, ...startSuite(arena, scenarios) };
};

/** E2E_HISTORY=<folder> keeps both histories of every scenario. */
const keep = (name: string, histories: unknown): void => {
  const { E2E_HISTORY: folder } = process.env;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(histories, null, 1));
};

const local = start('local', undefined);
const real = home === undefined ? undefined : start('metacontroller', home);

for (const [engine, suite] of Object.entries({ 'local loop': local, 'real Metacontroller': real })) {
  t.test(`the ${engine}`, { skip: suite ? false : (notice ?? true) }, async (t) => {
    for (const { name, title } of scenarios) {
      await t.test(`${name}: ${title}`, async (t) => {
        const result = await suite?.results.get(name);
        t.comment(`${engine}, ${name}: ${result?.ms} ms`);
        t.equal(result?.error?.message, undefined);
      });
    }
  });
}

t.test('both engines tell the same history', { skip: real ? false : (notice ?? true) }, async (t) => {
  for (const { name } of scenarios) {
    const [ours, theirs] = await Promise.all([local.results.get(name), real?.results.get(name)]);
    const found = compareHistories(name, ours?.history ?? {}, theirs?.history ?? {});
    const left = unexplained(found);
    keep(name, { local: ours?.history, metacontroller: theirs?.history, left });
    t.same(
      left.map(({ subject, kind, line }) => `${subject}, ${kind}: ${line}`),
      [],
      `${name}: ${found.length - left.length} allowed differences`,
    );
  }
});

t.teardown(async () => {
  for (const suite of [local, real]) {
    await suite?.done.catch(() => {});
    await (await suite?.arena.catch(() => undefined))?.stop();
  }
});
