// Instances that are changing are read one by one, at most every 4 s each; when many change at once they
// share one snapshot instead, so that a fleet being built costs the cloud no more than a page per 4 s.

import type { Clock } from '../clock.ts';
import type { Cloud, Instance } from '../otc/cloud.ts';

/** Below the pace of an Rds in transition, so that each of its calls sees something new. */
const MAX_AGE_MS = 4_000;
const FORGET_AFTER_MS = 30_000;
const SHARE_ABOVE = 20;

export type TransitionReads = {
  /**
   * What this replica saw lately, if it confirms what is told already; anything else is read afresh, since
   * another replica may have seen more.
   */
  read(cloud: Cloud, id: string, confirms: (instance: Instance) => boolean): Promise<Instance | undefined>;
  /** A fresher look that another path had anyway. */
  note(id: string, instance: Instance | undefined): void;
  /** Something was just done to it: what was seen before tells nothing any more. */
  forget(id: string): void;
};

export function createTransitionReads(clock: Clock): TransitionReads {
  const seen = new Map<string, { at: number; instance: Instance | undefined }>();

  function recent(): number {
    for (const [id, { at }] of seen) if (clock.elapsed() - at > FORGET_AFTER_MS) seen.delete(id);
    return seen.size;
  }

  async function remembered(cloud: Cloud, id: string): Promise<Instance | undefined> {
    const known = seen.get(id);
    if (known && clock.elapsed() - known.at < MAX_AGE_MS) return known.instance;
    if (recent() <= SHARE_ABOVE) return undefined;
    const instance = (await cloud.snapshot(MAX_AGE_MS / 1000)).byId.get(id);
    if (instance) note(id, instance);
    return instance;
  }

  function note(id: string, instance: Instance | undefined): void {
    seen.delete(id);
    seen.set(id, { at: clock.elapsed(), instance });
  }

  return {
    note,
    forget: (id) => {
      seen.delete(id);
    },
    async read(cloud, id, confirms) {
      const lately = await remembered(cloud, id);
      if (lately && confirms(lately)) return lately;
      const { value } = await cloud.findInstanceById(id);
      note(id, value);
      return value;
    },
  };
}
