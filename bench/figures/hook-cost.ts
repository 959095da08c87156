// What the hook costs: /sync of a fleet at rest against a bare Fastify route that parses the same body and serialises an
// answer of the same size. Short turns, one after the other, on one core. As many requests are new to the hook as in a
// fleet that rests for an hour; the others find an answer that stands.

import { isDeepStrictEqual } from 'node:util';
import { HOUR, MINUTE } from '../../test/support/world.ts';
import { askEach, askOnce, type Client, openClient } from '../client.ts';
import { digits, type Figure, type Setting, spreadText } from '../figure.ts';
import { flameGraph } from '../flame.ts';
import { type Program, pinClient, startCloud, startHook, startPlainRoute } from '../processes/start.ts';
import { settledFleet } from '../settled-fleet.ts';
import { percentile, spreadOf } from '../statistics.ts';
import { PACE_MS, restedHook } from './rested-hook.ts';

const SCALES = {
  tiny: { turns: 2, turnMs: 60, warmUp: 20, resting: 3, restMs: 3 * MINUTE },
  quick: { turns: 6, turnMs: 300, warmUp: 8_000, resting: 100, restMs: HOUR },
  full: { turns: 20, turnMs: 400, warmUp: 60_000, resting: 1_000, restMs: HOUR },
};
/** Few enough that a replica reads all their backups in its first burst. */
const FLEET = 20;
const TARGET = 0.75;
const PROFILED_TURNS = 8;

type Lane = { program: Program; path: string; client: Client };
type Turn = { perSecond: number; cpuUs: number; p50: number; p99: number };
type Turns = { hook: Turn; onlyNew: Turn; parsed: Turn; unparsed: Turn };

export async function hookCost({ scale, folder }: Setting): Promise<Figure> {
  const { turns, turnMs, warmUp, resting, restMs } = SCALES[scale];
  const rest = await shareOfNew(resting, restMs);
  const fleet = await settledFleet(FLEET, { isNow: true });
  const bodies = Array.from({ length: FLEET }, (_, number) => fleet.body(number));
  const mixed = inTurns(bodies, Math.max(1, Math.floor(1 / rest.share)));
  const cloud = await startCloud(folder, fleet.cloud);
  const hook = await startHook(cloud.url);
  const answer = await askOnce(hook.port, '/sync', bodies[0] ?? '');
  mustBeAtRest(bodies[0] ?? '', answer);
  const plain = await startPlainRoute(folder, answer);
  pinClient();
  const lane = async (program: Program, path: string, sent: readonly string[]): Promise<Lane> => ({
    program,
    path,
    client: await openClient({ port: program.port, path, bodies: sent }),
  });
  const lanes = {
    hook: await lane(hook, '/sync', mixed),
    onlyNew: await lane(hook, '/sync', inTurns(bodies, 1)),
    parsed: await lane(plain, '/parsed', mixed),
    unparsed: await lane(plain, '/unparsed', mixed),
  };
  const all = Object.values(lanes);
  // By calls, not by time. A replica that serves 1,000 Rds has this many behind it after an hour, and only then is most of
  // its code compiled: the first thousand calls cost twice as much.
  for (const { program, path } of all)
    await askEach(
      { port: program.port, path },
      { from: 0, to: warmUp },
      (number) => mixed[number % mixed.length] ?? '',
    );
  const seen: Turns[] = [];
  for (let number = 0; number < turns; number += 1) {
    seen.push({
      hook: await turn(lanes.hook, turnMs),
      onlyNew: await turn(lanes.onlyNew, turnMs),
      parsed: await turn(lanes.parsed, turnMs),
      unparsed: await turn(lanes.unparsed, turnMs),
    });
  }
  // After the turns, since a profiler costs time.
  await hook.read('profile');
  await lanes.hook.client.drive(turnMs * PROFILED_TURNS);
  const { profile } = await hook.read('profile');
  for (const { client } of all) client.close();
  for (const program of [hook, plain, cloud]) await program.stop();
  const figure = report(seen, { body: bodies[0]?.length ?? 0, answer: answer.length, rest });
  const title = 'Where the time of a /sync goes: a fleet at rest, HTTP included';
  return profile
    ? { ...figure, pictures: [{ name: 'bench-hook-flame', title, svg: flameGraph(profile, title) }] }
    : figure;
}

type Rest = { count: number; syncs: number; share: number };

/** Of a fleet at rest: which part of the requests has to be worked out, because something may have changed meanwhile. */
async function shareOfNew(count: number, ms: number): Promise<Rest> {
  const hook = await restedHook(count, { gapMs: PACE_MS / count });
  await hook.run(PACE_MS);
  const before = await hook.workedOut();
  const { syncs } = await hook.run(ms);
  const share = ((await hook.workedOut()) - before) / syncs;
  await hook.world.stop();
  return { count, syncs, share };
}

/** Each body so often, then all of them with another version of the Rds, and so on in turns: to the hook they are new. */
function inTurns(bodies: readonly string[], times: number): string[] {
  const other = bodies.map((body) =>
    body.replace(
      /("parent":\{.*?"resourceVersion":")(\d+)/,
      (_all, lead: string, version: string) => `${lead}${Number(version) + 1}`,
    ),
  );
  return [bodies, other].flatMap((each) => Array.from({ length: times }, () => each).flat());
}

/** An answer that tells something new would make Metacontroller write, and is not what most calls get. */
function mustBeAtRest(body: string, answer: string): void {
  const { observedGeneration: _forced, ...before } = JSON.parse(body).parent.status;
  const { status } = JSON.parse(answer);
  if (!isDeepStrictEqual(status, before))
    throw new Error(`not at rest: ${JSON.stringify(before)} -> ${JSON.stringify(status)}`);
}

async function turn({ program, client }: Lane, ms: number): Promise<Turn> {
  const before = await program.read('cpu');
  const { perSecond, answered, latencies } = await client.drive(ms);
  const after = await program.read('cpu');
  return {
    perSecond,
    cpuUs: ((after.cpuMs - before.cpuMs) * 1_000) / answered,
    p50: percentile(latencies, 50),
    p99: percentile(latencies, 99),
  };
}

function report(turns: Turns[], size: { body: number; answer: number; rest: Rest }): Figure {
  const of = (pick: (turns: Turns) => number) => spreadOf(turns.map(pick));
  const line = (what: string, pick: (turns: Turns) => number, places: number) => ({
    what,
    value: digits(of(pick).median, places),
    spread: spreadText(of(pick), places),
  });
  const toParsed = ({ hook, parsed }: Turns) => hook.perSecond / parsed.perSecond;
  return {
    title: 'Hook cost',
    lines: [
      {
        ...line('throughput, hook / route that parses', toParsed, 2),
        target: `>= ${TARGET}`,
        isMet: of(toParsed).median >= TARGET,
      },
      line(
        'throughput, hook that works out every answer / route that parses',
        ({ onlyNew, parsed }) => onlyNew.perSecond / parsed.perSecond,
        2,
      ),
      line('cpu per call, route that parses / hook', ({ hook, parsed }) => parsed.cpuUs / hook.cpuUs, 2),
      line(
        'throughput, hook / route that parses nothing',
        (all) => all.hook.perSecond / all.unparsed.perSecond,
        2,
      ),
      line('hook: calls a second', ({ hook }) => hook.perSecond, 0),
      line('route that parses: calls a second', ({ parsed }) => parsed.perSecond, 0),
      line('hook: cpu per call, µs', ({ hook }) => hook.cpuUs, 0),
      line('hook that works out every answer: cpu per call, µs', ({ onlyNew }) => onlyNew.cpuUs, 0),
      line('hook: p50, ms', ({ hook }) => hook.p50, 2),
      line('hook: p99, ms', ({ hook }) => hook.p99, 2),
      line('route that parses: p50, ms', ({ parsed }) => parsed.p50, 2),
      line('route that parses: p99, ms', ({ parsed }) => parsed.p99, 2),
    ],
    plots: [
      {
        name: 'bench-hook-cost',
        title: 'Throughput of the hook / of a route that parses, turn by turn',
        x: 'turn',
        y: 'ratio',
        series: [{ name: 'hook', points: turns.map((one, index) => ({ x: index + 1, y: toParsed(one) })) }],
        limit: { y: TARGET, name: 'target' },
      },
    ],
    notes: [
      `A fleet of ${size.rest.count} at rest: of ${size.rest.syncs} syncs ${digits(size.rest.share * 100, 1)} % are worked out, the others find an answer that stands; the requests here are mixed alike.`,
      `Bodies of ${size.body} bytes, answers of ${size.answer} bytes, 5 connections, ${turns.length} turns.`,
    ],
  };
}
