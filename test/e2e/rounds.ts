// Does the journal keep creates apart? Rounds of 50 creates on a real API server while the CompositeController is edited
// all the time, so that calls are cut and made again at another replica within milliseconds:
// `npm run rounds -- --rounds 20 [--without-journal] [--lag SECONDS] [--slow MS]`. `--slow` delays the
// answers to creates, so that more calls are cut in the middle of one. Ends with 1 when an Rds got two instances, or,
// on a copy of the sources without the journal, when none did: then the rounds prove nothing.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { metacontrollerHome } from '../cluster/metacontroller.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { plant } from '../simulation/plant.ts';
import { WITHOUT_JOURNAL } from '../simulation/planted-bugs.ts';
import { type Arena, startArena } from './arena.ts';
import type { RdsObject } from './history.ts';
import { rds } from './scenario.ts';

const NAMESPACE = 'round';
const NAMES = Array.from({ length: 50 }, (_, index) => `db-${String(index + 1).padStart(2, '0')}`);
const CREATE = { service: 'rds', method: 'POST', path: '/v3/{project}/instances' } as const;
/** From the first create to the last, and no longer than that takes. */
const EDITS = { atLeast: 20, atMost: 240, everyMs: 250 };
/** Where two instances are seen the operator stops, and the Rds will never be Ready. */
const SETTLED = ['Ready', 'Failed'];

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    lag: { type: 'string', default: '0' },
    slow: { type: 'string', default: '0' },
    'without-journal': { type: 'boolean', default: false },
  },
});
const rounds = Number(values.rounds);
const lag = Number(values.lag);
const slowMs = Number(values.slow);
if (![rounds, lag, slowMs].every((one) => Number.isInteger(one) && one >= 0) || rounds < 1) {
  console.error('--rounds, --lag and --slow take whole numbers');
  process.exit(2);
}

type Round = { instances: number; doubled: number; ready: number };

async function play(arena: Arena): Promise<Round> {
  const { kube, cloud } = arena;
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  if (slowMs > 0) await cloud.addFault({ kind: 'slow', match: CREATE, delayMs: slowMs, times: NAMES.length });
  const objects = NAMES.map((name) => rds(name)).map(({ metadata, ...object }) => ({
    ...object,
    metadata: { ...metadata, namespace: NAMESPACE },
  }));
  await Promise.all(objects.map((object) => kube.apply(object, { fieldManager: 'kubectl' })));
  const made = async () =>
    (await cloud.events()).filter(({ kind }) => kind === 'create').map(({ name }) => name);
  const isMaking = async () => new Set(await made()).size < NAMES.length;
  for (let edit = 0; edit < EDITS.atLeast || (edit < EDITS.atMost && (await isMaking())); edit += 1) {
    await arena.configure();
    await sleep(EDITS.everyMs);
  }
  const list = `/apis/otc.mcsps.de/v1alpha1/namespaces/${NAMESPACE}/rdss`;
  const phases = async () => (await kube.list<RdsObject>(list)).map(({ status }) => status?.phase ?? '');
  await waitFor(
    'every Rds to come to rest',
    async () => (await phases()).every((phase) => SETTLED.includes(phase)),
    { everyMs: 500 },
  ).catch((error: Error) => console.log(`  ${error.message.slice(0, 200)}`));
  const names = await made();
  return {
    instances: names.length,
    doubled: names.length - new Set(names).size,
    ready: (await phases()).filter((phase) => phase === 'Ready').length,
  };
}

const { home, notice } = metacontrollerHome();
if (notice) console.log(`NOTICE: ${notice}`);
const copy = values['without-journal'] ? mkdtempSync(join(tmpdir(), 'rds-pilot-rounds-')) : undefined;
if (copy) plant(WITHOUT_JOURNAL, copy);

const seen: Round[] = [];
for (let number = 1; number <= rounds; number += 1) {
  const began = performance.now();
  const arena = await startArena(home === undefined ? 'local' : 'metacontroller', {
    metacontrollerHome: home,
    listLagSeconds: lag,
    replicaEnv: { OTC_LIST_LAG_SECONDS: `${lag}` },
    ...(copy === undefined ? {} : { replicaRoot: copy }),
  });
  try {
    await arena.configure();
    const round = await play(arena);
    seen.push(round);
    const seconds = ((performance.now() - began) / 1_000).toFixed(0);
    console.log(
      `round ${number}: ${NAMES.length} Rds, ${round.ready} Ready, ${round.instances} instances, ${round.doubled} doubled (${seconds} s)`,
    );
  } finally {
    await arena.stop();
  }
}
if (copy) rmSync(copy, { recursive: true, force: true });
const doubled = seen.reduce((sum, round) => sum + round.doubled, 0);
console.log(
  `${seen.length} rounds, ${seen.length * NAMES.length} Rds, ${doubled} doubled (${copy ? 'without the journal' : 'as shipped'}, list lag ${lag} s, creates answered after ${slowMs} ms)`,
);
process.exit((copy ? doubled > 0 : doubled === 0) ? 0 : 1);
