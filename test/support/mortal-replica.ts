// A replica that dies at its n-th step to the outside, just before it or just after it took effect. What it
// would have done next is never done, as if the process had been killed.

import type { SyncDeps } from '../../src/sync/deps.ts';

export type Death = { step: number; when: 'before' | 'after' };

/** `steps()`: how many it made. Afterwards every further step fails too: a dead process does nothing. */
export function mortal(deps: Pick<SyncDeps, 'journal' | 'readLiveBackup' | 'openCloud'>, death: Death) {
  let made = 0;
  let isDead = false;

  const die = (): never => {
    isDead = true;
    throw new Error('killed');
  };

  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, key, receiver) {
        const found: unknown = Reflect.get(object, key, receiver);
        return typeof found === 'function' ? step(found.bind(object) as Step) : found;
      },
    });

  type Step = (...given: unknown[]) => unknown;
  const step =
    (run: Step): Step =>
    async (...given) => {
      if (isDead) die();
      made += 1;
      const isLast = made === death.step;
      if (isLast && death.when === 'before') die();
      const result = await run(...given);
      if (isLast) die();
      return result;
    };

  return {
    steps: () => made,
    isDead: () => isDead,
    deps: {
      journal: wrap(deps.journal),
      readLiveBackup: step(deps.readLiveBackup as Step) as SyncDeps['readLiveBackup'],
      openCloud: ((credentials, budget) =>
        wrap(deps.openCloud(credentials, budget))) as SyncDeps['openCloud'],
    },
  };
}
