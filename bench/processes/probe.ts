// Loaded into a measured process (`node --import`): tells its cpu time, its memory and a profile when asked, over the
// channel that its parent holds. The program itself is untouched.

import { type Profiler, Session } from 'node:inspector/promises';

export type Reading = {
  cpuMs: number;
  heapBytes: number;
  rssBytes: number;
  profile?: Profiler.Profile | undefined;
};

const PROFILE_EVERY_US = 200;
let session: Session | undefined;

/** The first time it begins, the second time it ends. */
async function profile(): Promise<Profiler.Profile | undefined> {
  if (session) {
    const { profile: taken } = await session.post('Profiler.stop');
    session.disconnect();
    session = undefined;
    return taken;
  }
  session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: PROFILE_EVERY_US });
  await session.post('Profiler.start');
  return undefined;
}

process.on('message', async (order) => {
  // A collection costs time, so only who asks for memory pays for it.
  // What one finds unused may hold on to more until the next.
  if (order === 'memory') for (let times = 0; times < 2; times += 1) global.gc?.();
  const { user, system } = process.cpuUsage();
  const { heapUsed, external, rss } = process.memoryUsage();
  const taken = order === 'profile' ? await profile() : undefined;
  process.send?.({
    profile: taken,
    cpuMs: (user + system) / 1_000,
    heapBytes: heapUsed + external,
    rssBytes: rss,
  } satisfies Reading);
});
// Being measured is no reason to stay alive.
process.channel?.unref();
