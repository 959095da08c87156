// Time is a parameter: production hands in the system clock, tests and the simulation a virtual one.

export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};
