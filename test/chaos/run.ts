// One run: a storm, the calm after it, silence, and a judgement.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { waitFor } from '../cluster/wait-for.ts';
import { writesOf } from '../e2e/cloud-state.ts';
import type { Evidence } from './evidence.ts';
import { harm, unfinished } from './oracles.ts';
import { type Incarnation, RDS_PATH, startPeople } from './people.ts';
import { type ChaosOptions, planChaos } from './plan.ts';
import { type Stage, startStage } from './stage.ts';
import { startViolence } from './violence.ts';

export type RunOptions = ChaosOptions & {
  metacontrollerHome?: string | undefined;
  hooks?: string | undefined;
  /** How long the calm may take until all is as wanted. */
  calmSeconds: number;
  silenceSeconds: number;
  say: (line: string) => void;
};

export type Verdict = {
  violations: string[];
  incarnations: readonly Incarnation[];
  evidence: Evidence | undefined;
  /** Blows that were struck, by kind. */
  blows: Record<string, number>;
  stormSeconds: number;
  calmSeconds: number;
};

export type ChaosRun = {
  stage: Stage;
  play: () => Promise<Verdict>;
  story: () => string;
  stop: () => Promise<void>;
};

const LOOK_MS = 1_000;
const TELL_MS = 10_000;

export async function startChaos(options: RunOptions): Promise<ChaosRun> {
  const began = Date.now();
  const lines: string[] = [];
  const say = (line: string): void => {
    const told = `${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`;
    lines.push(told);
    options.say(told);
  };
  const stage = await startStage({
    ...options,
    onProblem: (message) => lines.push(`           loop: ${message}`),
  });
  say(`the cluster is up: ${options.replicas} hooks, ${stage.engine} loop`);
  return {
    stage,
    story: () => `${lines.join('\n')}\n`,
    stop: stage.stop,
    play: () => play(stage, options, say),
  };
}

function tell(evidence: Evidence, left: readonly string[]): string {
  const { incarnations, instances, objects } = evidence;
  const ready = objects.filter(({ status }) => status?.phase === 'Ready').length;
  const gone = incarnations.filter(({ isDeleted }) => isDeleted).length;
  return `${incarnations.length} Rds made, ${gone} deleted; now ${objects.length} with ${instances.length} instances, ${ready} Ready; ${left.length} things unfinished`;
}

/** Looks once a second, until it is over or harm is done; gives what is unfinished then. */
async function watch(
  { stage, verdict, say }: { stage: Stage; verdict: Verdict; say: (line: string) => void },
  isOver: (left: readonly string[]) => boolean,
): Promise<string[]> {
  let toldAt = Date.now();
  let left: string[] = [];
  for (;;) {
    const seen = await stage.gather(verdict.incarnations).catch(() => undefined);
    left = seen ? unfinished(seen) : ['cloud and API server cannot be asked'];
    if (seen) {
      verdict.evidence = seen;
      verdict.violations = harm(seen);
      if (Date.now() - toldAt > TELL_MS) {
        toldAt = Date.now();
        say(tell(seen, left));
      }
    }
    if (verdict.violations.length > 0 || isOver(left)) return left;
    await sleep(LOOK_MS);
  }
}

async function play(stage: Stage, options: RunOptions, say: (line: string) => void): Promise<Verdict> {
  const { lives, hands } = planChaos(options);
  const { cut, victims, cloud } = stage;
  const { seconds } = options;
  const ending = new AbortController();
  const { signal } = ending;
  const people = startPeople(stage.kube, lives, signal);
  const violence = startViolence({ hands, seconds, victims, cut, say, addFault: cloud.addFault, signal });
  const verdict: Verdict = {
    violations: [],
    incarnations: people.incarnations,
    evidence: undefined,
    blows: {},
    stormSeconds: 0,
    calmSeconds: 0,
  };
  const judge = async (): Promise<void> => {
    const began = Date.now();
    let isStorming = true;
    const over = Promise.allSettled([violence.done]).finally(() => {
      isStorming = false;
    });
    await watch({ stage, verdict, say }, () => !isStorming);
    if (verdict.violations.length > 0) ending.abort();
    const [end] = await over;
    if (end.status === 'rejected') verdict.violations.push(`the storm could not be ended: ${end.reason}`);
    verdict.stormSeconds = (Date.now() - began) / 1000;
    if (verdict.violations.length > 0) return;
    await cloud.clearFaults();
    // A garbage collector that missed a deletion while the API server was away keeps the Secret of an Rds that is
    // gone, and with it the name that its successor needs; started anew it finds it.
    await victims['kube-controller-manager'].kill();
    await victims['kube-controller-manager'].start();
    const calmAt = Date.now();
    say('calm: everything runs again, no fault is left');

    const deadline = calmAt + options.calmSeconds * 1000;
    const left = await watch(
      { stage, verdict, say },
      (now) => (people.areServed() && now.length === 0) || Date.now() > deadline,
    );
    verdict.calmSeconds = (Date.now() - calmAt) / 1000;
    if (verdict.violations.length > 0) return;
    if (!people.areServed()) left.push('not every order was taken by the API server');
    if (violence.deaths.length > 0) left.push(`ended without being struck: ${violence.deaths.join(', ')}`);
    verdict.violations.push(...left);
    if (verdict.violations.length > 0) return;
    say(`all is as wanted after ${verdict.calmSeconds.toFixed(1)} s of calm`);
    verdict.violations.push(...(await noise(stage, options.silenceSeconds)));
    if (verdict.violations.length === 0) say(`silence: no write for ${options.silenceSeconds} s`);
  };
  try {
    await judge();
  } finally {
    ending.abort();
    verdict.blows = Object.fromEntries([...violence.counts].sort());
    await Promise.allSettled([violence.done, people.done]);
  }
  return verdict;
}

/** A settled world writes nothing: neither to the cloud nor to any Rds. */
async function noise({ kube, cloud }: Stage, seconds: number): Promise<string[]> {
  const look = async () => ({
    writes: writesOf(await cloud.calls()),
    versions: new Map(
      (await kube.list(RDS_PATH)).map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    ),
  });
  // The last answers are still being stored, on a busy machine for a while.
  let before = await look();
  await waitFor(
    'the last answers to be stored',
    async () => {
      const [earlier, now] = [before, await look()];
      before = now;
      return isDeepStrictEqual(earlier, now);
    },
    { everyMs: 2_000 },
  );
  await sleep(seconds * 1000);
  const after = await look();
  const changed = [...after.versions].filter(([name, version]) => before.versions.get(name) !== version);
  return [
    ...(after.writes === before.writes
      ? []
      : [`${after.writes - before.writes} writes to the cloud in silence`]),
    ...(changed.length === 0 ? [] : [`written in silence: ${changed.map(([name]) => name).join(', ')}`]),
  ];
}
