// Loaded into a measured process (`node --import`): tells its cpu time and its memory when asked, over the channel
// that its parent holds. The program itself is untouched.

export type Reading = { cpuMs: number; heapBytes: number; rssBytes: number };

process.on('message', (order) => {
  // A collection costs time, so only who asks for memory pays for it.
  if (order === 'memory') global.gc?.();
  const { user, system } = process.cpuUsage();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({
    cpuMs: (user + system) / 1_000,
    heapBytes: heapUsed + external,
    rssBytes: rss,
  } satisfies Reading);
});
// Being measured is no reason to stay alive.
process.channel?.unref();
