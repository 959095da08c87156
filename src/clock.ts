// Time is a parameter: production hands in the system clock, tests and the simulation a virtual one.

export type Clock = {
  /** Milliseconds since the epoch: for stamps, never for ages, since a wall clock may jump. */
  now(): number;
  /** Milliseconds since some point: for ages and waits; never goes back. */
  elapsed(): number;
  sleep(ms: number): Promise<void>;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
