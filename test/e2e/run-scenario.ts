// Runs one scenario in a namespace of its own and checks, whatever it was about, what must always hold.
import { isDeepStrictEqual } from 'node:util';
import { waitFor } from '../cluster/wait-for.ts';
import type { Arena } from './arena.ts';
import { strayInstances } from './cloud-state.ts';
import type { History, RdsObject } from './history.ts';
import { brokenInvariants } from './invariants.ts';
import type { Scenario } from './scenario.ts';
import { applyAll, carryOut, expectCloud, type Run, rdsIn } from './steps.ts';

export type Result = { scenario: string; engine: string; ms: number; error?: Error; history: History };

/** Every field of the last answer must have been stored: what the CRD does not know vanishes silently. */
async function checkStored(run: Run): Promise<void> {
  const { recorder } = run.arena;
  await waitFor('every answered status to be stored as it was', async () => {
    for (const object of await rdsIn(run)) {
      const last = recorder.calls.findLast(
        ({ body, code, hook }) =>
          hook !== 'customize' && code === 200 && body.parent.metadata.uid === object.metadata.uid,
      );
      const { observedGeneration: _forced, ...stored } = (object.status ?? {}) as Record<string, unknown>;
      if (last?.answer && !isDeepStrictEqual(stored, last.answer.status))
        throw new Error(
          `stored ${JSON.stringify(stored)} is not what was answered ${JSON.stringify(last.answer.status)}`,
        );
    }
    return true;
  });
}

/** An Event is sent beside the answer that it belongs to, so it may come after what the answer brought about. */
async function waitTold(run: Run): Promise<void> {
  await waitFor('an Event of every Rds that is ready', async () => {
    const told = run.arena.chronicle.events(run.namespace);
    const isTold = ({ metadata, status }: RdsObject) =>
      status?.phase !== 'Ready' ||
      told.some(
        ({ reason, involvedObject }) => reason === 'Available' && involvedObject.name === metadata.name,
      );
    return (await rdsIn(run)).every(isTold);
  });
}

async function play(run: Run, scenario: Scenario): Promise<void> {
  const { kube, cloud } = run.arena;
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: run.namespace } });
  await applyAll(run, scenario.given ?? []);
  for (const [index, step] of scenario.steps.entries()) {
    try {
      await carryOut(run, step);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`step ${index + 1} (${step.do}): ${why}`);
    }
  }
  await expectCloud(run, scenario.cloud);
  const known = [...Object.keys(scenario.cloud), ...run.aliases.keys()];
  const strays = await strayInstances(cloud, run.namespace, known);
  if (strays.length > 0) throw new Error(`instances that no Rds accounts for: ${strays.join(', ')}`);
  await checkStored(run);
  await waitTold(run);
  await carryOut(run, { do: 'waitCollected' });
  const mine = run.arena.recorder.calls.filter(
    ({ body }) => body.parent.metadata.namespace === run.namespace,
  );
  const broken = brokenInvariants(mine);
  if (broken.length > 0) throw new Error([...new Set(broken)].join('; '));
}

function renamed(history: History, aliases: Run['aliases'], alike: string | undefined): History {
  const words: [RegExp, string][] = [...aliases].map(([name, alias]) => [
    new RegExp(`\\b${name}\\b`, 'g'),
    alias,
  ]);
  if (alike !== undefined) words.push([new RegExp(`\\b${alike}\\b`, 'g'), 'each']);
  const rename = (text: string): string =>
    words.reduce((sum, [pattern, word]) => sum.replaceAll(pattern, word), text);
  const told: History = {};
  for (const [subject, lines] of Object.entries(history))
    told[rename(subject)] = [...(told[rename(subject)] ?? []), ...lines.map(rename)];
  return told;
}

export async function runScenario(arena: Arena, scenario: Scenario): Promise<Result> {
  const began = Date.now();
  const run: Run = {
    arena,
    namespace: scenario.name,
    ids: new Map(),
    aliases: new Map(),
    mark: { total: 0, writes: 0 },
    logins: new Map(),
  };
  let error: Error | undefined;
  try {
    await play(run, scenario);
  } catch (caught) {
    error = caught instanceof Error ? caught : new Error(String(caught));
  }
  const history = renamed(arena.chronicle.of(run.namespace), run.aliases, scenario.alike);
  const result: Result = { scenario: scenario.name, engine: arena.name, ms: Date.now() - began, history };
  return error ? { ...result, error } : result;
}
