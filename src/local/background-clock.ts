// The system clock for the loop on a laptop: a resync that is ten minutes away must not keep the process alive.

import type { Clock } from '../clock.ts';

export const backgroundClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms).unref();
    }),
};
