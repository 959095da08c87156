// Rotation on a real API server with real databases, by the local loop and by the real Metacontroller: every Job is a
// process, an hour lasts seconds, and both histories must be the same.
import t from 'tap';
import { metacontrollerHome } from '../cluster/metacontroller.ts';
import { type PodRunner, startPodRunner } from '../cluster/pod-runner.ts';
import { reasonToSkip } from '../jobs/real-server.ts';
import { freePort, mysql, postgres } from '../simulator/real-cloud.ts';
import { unexplained } from './allowed-differences.ts';
import { type Arena, startArena } from './arena.ts';
import { compareHistories } from './compare.ts';
import { type Ports, rotations } from './scenarios/rotation.ts';
import { startSuite } from './suite.ts';

t.setTimeout(1_800_000);

const HOUR_MS = '15000';
const { home, notice } = metacontrollerHome();
const skip = reasonToSkip('MySQL') || reasonToSkip('PostgreSQL');
const ends: (() => Promise<unknown>)[] = [];

function start(name: 'local' | 'metacontroller', ports: Ports) {
  const scenarios = rotations(ports);
  const arena = startArena(name, {
    metacontrollerHome: name === 'local' ? undefined : home,
    replicaEntry: 'test/cluster/short-hours-hook.ts',
    replicaEnv: { HOUR_MS },
    realDatabases: true,
  }).then(async (ready: Arena) => {
    const pods: PodRunner = await startPodRunner({ controlPlane: ready.controlPlane });
    ends.push(pods.stop, ready.stop);
    await ready.configure();
    return ready;
  });
  return { scenarios, ...startSuite(arena, scenarios) };
}

t.test('rotation', { skip }, async (t) => {
  const ports = async (): Promise<Ports> => ({
    mysql: await freePort(mysql),
    postgres: await freePort(postgres),
  });
  const local = start('local', await ports());
  const real = home === undefined ? undefined : start('metacontroller', await ports());
  for (const [engine, suite] of Object.entries({ 'local loop': local, 'real Metacontroller': real })) {
    await t.test(`the ${engine}`, { skip: suite ? false : (notice ?? true) }, async (t) => {
      for (const { name, title } of suite?.scenarios ?? []) {
        const result = await suite?.results.get(name);
        t.comment(
          `${engine}, ${name}: ${result?.ms} ms; ${Object.entries(result?.history ?? {})
            .flatMap(([subject, lines]) => (subject.startsWith('logins ') ? [...new Set(lines)] : []))
            .join(', ')}`,
        );
        t.equal(result?.error?.message, undefined, `${name}: ${title}`);
      }
    });
  }
  await t.test('both tell the same history', { skip: real ? false : (notice ?? true) }, async (t) => {
    for (const { name } of local.scenarios) {
      const [ours, theirs] = await Promise.all([local.results.get(name), real?.results.get(name)]);
      const found = compareHistories(name, ours?.history ?? {}, theirs?.history ?? {});
      const left = unexplained(found);
      t.same(
        left.map(({ subject, kind, line }) => `${subject}, ${kind}: ${line}`),
        [],
        `${name}: ${found.length - left.length} allowed differences`,
      );
    }
  });
});

t.teardown(async () => {
  for (const end of ends) await end().catch(() => {});
});
