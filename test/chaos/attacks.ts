// What goes wrong during a run.
import type { Fault } from '../../src/simulator/faults.ts';
import type { Chance } from '../simulation/random.ts';
import { between } from './chance.ts';

export type Target =
  | `hook-${number}`
  | 'simulator'
  | 'loop'
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager';

export type Blow =
  | { do: 'kill' | 'stop' | 'pause'; target: Target; forMs: number }
  | { do: 'cut' }
  | { do: 'fault'; fault: Fault };

/** Begun this long after the one before is over: on a slow machine there are fewer, and no pile-up. */
export type Attack = { afterMs: number; blow: Blow; nextMs?: number; next?: Blow[] };

/**
 * Two hands strike independently, one at what answers, one at what is asked. Each deck is dealt out whole, in an
 * order of its own, before it is dealt again.
 */
const DECKS = [
  ['hook', 'hook', 'hook', 'ambush', 'ambush', 'ambush', 'loop', 'loop', 'cut', 'freeze'],
  [
    'fault',
    'fault',
    'fault',
    'fault',
    'fault',
    'simulator',
    'simulator',
    'etcd',
    'etcd-stop',
    'kube-apiserver',
    'kube-controller-manager',
  ],
] as const;
type Card = (typeof DECKS)[number][number];

/** Those that leave the caller in doubt come twice. */
const FAULTS: readonly Fault['kind'][] = [
  'timeout-before',
  'timeout-after',
  'timeout-after',
  'connection',
  '500-before',
  '500-after',
  '500-after',
  '503',
  '429',
  '429-no-header',
  'slow',
  'truncated',
];

const WRITE = { service: 'rds', method: 'POST' } as const;
const SITES: readonly NonNullable<Fault['match']>[] = [
  { ...WRITE, path: '/v3/{project}/instances' },
  WRITE,
  WRITE,
  WRITE,
  { service: 'rds', method: 'DELETE' },
  { service: 'rds', method: 'GET' },
  { service: 'rds' },
  { service: 'iam' },
];

const SLOW_MS = 4_000;

export const handsOf = (chance: Chance, seconds: number, replicas: number): Attack[][] =>
  DECKS.map((deck, hand) => attacksOf(chance, deck, `hand ${hand}`, { seconds, replicas }));

function attacksOf(
  chance: Chance,
  deck: readonly Card[],
  name: string,
  { seconds, replicas }: { seconds: number; replicas: number },
): Attack[] {
  const decks = Array.from({ length: Math.ceil(seconds / deck.length) }, (_, round) =>
    shuffled(chance, `${name} ${round}`, deck),
  );
  return decks.flat().map((card, turn) => {
    const own = `${name} ${turn}`;
    return {
      afterMs: between(chance, `${own} after`, 600, 3_000),
      ...attackFor(chance, card, own, replicas),
    };
  });
}

function attackFor(chance: Chance, card: Card, name: string, replicas: number): Omit<Attack, 'afterMs'> {
  const forMs = between(chance, `${name} for`, 100, 3_000);
  const hook: Target = `hook-${1 + chance.below(`${name} which`, replicas)}`;
  switch (card) {
    case 'hook':
      return { blow: { do: 'kill', target: hook, forMs } };
    case 'freeze':
      return { blow: { do: 'pause', target: hook, forMs: 2 * forMs } };
    case 'etcd-stop':
      return { blow: { do: 'stop', target: 'etcd', forMs: forMs / 4 } };
    case 'etcd':
    case 'kube-apiserver':
    case 'kube-controller-manager':
      return { blow: { do: 'kill', target: card, forMs: forMs / 4 } };
    case 'simulator':
    case 'loop':
      return { blow: { do: 'kill', target: card, forMs } };
    case 'cut':
      return { blow: { do: 'cut' } };
    case 'fault':
      return { blow: { do: 'fault', fault: faultOf(chance, name) } };
    case 'ambush':
      return ambush(chance, name, replicas, forMs);
  }
}

/** The worst moment: the next writes take effect at once and are answered late, and meanwhile the asker dies. */
function ambush(chance: Chance, name: string, replicas: number, forMs: number): Omit<Attack, 'afterMs'> {
  const kill = (target: Target): Blow => ({ do: 'kill', target, forMs });
  const hooks = Array.from({ length: replicas }, (_, index) => kill(`hook-${index + 1}`));
  const ends: Blow[][] = [hooks, hooks, [{ do: 'cut' }], [kill('loop')], [kill('simulator')]];
  return {
    blow: { do: 'fault', fault: { kind: 'slow', match: WRITE, times: 4, delayMs: SLOW_MS } },
    nextMs: SLOW_MS / 2,
    next: chance.pick(`${name} end`, ends),
  };
}

const faultOf = (chance: Chance, name: string): Fault => ({
  kind: chance.pick(`${name} kind`, FAULTS),
  match: chance.pick(`${name} site`, SITES),
  times: 1 + chance.below(`${name} times`, 5),
  delayMs: SLOW_MS,
  retryAfterSeconds: 2,
});

const shuffled = (chance: Chance, name: string, deck: readonly Card[]): Card[] =>
  deck
    .map((card, index) => ({ card, key: chance.of(`${name} ${index}`) }))
    .sort((a, b) => a.key - b.key)
    .map(({ card }) => card);
