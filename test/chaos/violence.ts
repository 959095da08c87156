// Carries out the attacks of a plan until the time is over: what is killed comes back after its time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../src/simulator/faults.ts';
import type { Attack, Blow, Target } from './attacks.ts';

export type Victim = {
  kill: () => Promise<void>;
  start: () => Promise<void>;
  stop?: () => Promise<void>;
  pause?: () => void;
  resume?: () => void;
  /** Absent where the victim is started again by itself. */
  isAlive?: () => boolean;
};

export type ViolenceOptions = {
  hands: readonly Attack[][];
  seconds: number;
  victims: Record<Target, Victim>;
  cut: () => void;
  addFault: (fault: Fault) => Promise<void>;
  say: (line: string) => void;
  signal: AbortSignal;
};

export type Violence = {
  /** Everything is up again. */
  done: Promise<void>;
  /** By kind, e.g. `kill -9 hook`. */
  counts: Map<string, number>;
  /** Victims that had ended before anybody struck them. */
  deaths: string[];
};

const START_ATTEMPTS = 5;
/** Of each hand, however slow the machine: else it is no storm. */
const FEWEST_ATTACKS = 7;
const VERBS = { kill: 'kill -9', stop: 'stop', pause: 'freeze' } as const;

const kindOf = (blow: Blow): string => {
  if (blow.do === 'cut') return 'connections cut';
  if (blow.do === 'fault') return `fault ${blow.fault.kind}`;
  return `${VERBS[blow.do]} ${blow.target.replace(/-\d+$/, '')}`;
};

const told = (blow: Blow): string => {
  if (blow.do === 'cut') return 'all connections of the balancer are cut';
  if (blow.do === 'fault') {
    const { kind, times, match = {} } = blow.fault;
    const site = [match.service, match.method, match.path].filter(Boolean).join(' ');
    return `the cloud answers ${times} times with ${kind}: ${site}`;
  }
  return `${VERBS[blow.do]} ${blow.target} for ${(blow.forMs / 1000).toFixed(1)} s`;
};

/** A port may be taken for a moment, and nothing gets ready while etcd is away. */
async function startAgain(victim: Victim): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await victim.start();
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error;
      await sleep(500);
    }
  }
}

export function startViolence(options: ViolenceOptions): Violence {
  const { hands, seconds, victims, signal } = options;
  const endsAt = Date.now() + seconds * 1000;
  const counts = new Map<string, number>();
  const deaths: string[] = [];
  const queues = new Map<Target, Promise<void>>();

  const hit = async (blow: Extract<Blow, { target: Target }>): Promise<void> => {
    const victim = victims[blow.target];
    if (!victim) throw new Error(`there is no ${blow.target}`);
    if (victim.isAlive?.() === false) deaths.push(blow.target);
    if (blow.do === 'pause') victim.pause?.();
    else await (blow.do === 'stop' ? victim.stop?.() : victim.kill());
    await sleep(blow.forMs);
    if (blow.do === 'pause') victim.resume?.();
    else await startAgain(victim);
  };

  const strike = async (blow: Blow): Promise<void> => {
    const kind = kindOf(blow);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    options.say(told(blow));
    if (blow.do === 'cut') options.cut();
    else if (blow.do === 'fault') await options.addFault(blow.fault).catch(() => {});
    else await hit(blow);
  };

  /** The two hands may be at the same victim: one after the other. */
  const inTurn = (blow: Blow): Promise<void> => {
    if (!('target' in blow)) return strike(blow);
    const mine = (queues.get(blow.target) ?? Promise.resolve()).then(() => strike(blow));
    queues.set(blow.target, mine);
    return mine;
  };

  const attack = async (hand: readonly Attack[]): Promise<void> => {
    for (const [index, { afterMs, blow, nextMs = 0, next = [] }] of hand.entries()) {
      const leftMs = index < FEWEST_ATTACKS ? afterMs : Math.max(0, endsAt - Date.now());
      await sleep(Math.min(afterMs, leftMs), undefined, { signal }).catch(() => {});
      if (signal.aborted || (Date.now() >= endsAt && index >= FEWEST_ATTACKS)) return;
      await inTurn(blow);
      await sleep(nextMs);
      await Promise.all(next.map(inTurn));
    }
  };

  const done = Promise.all(hands.map(attack)).then(() => {
    for (const [target, { isAlive }] of Object.entries(victims))
      if (isAlive?.() === false) deaths.push(target);
  });
  return { done, counts, deaths };
}
