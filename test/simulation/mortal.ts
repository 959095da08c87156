// A process that can die at any moment: what it waits for then never comes back to it, and nothing it would have
// done next is done.

export type Mortal = {
  readonly name: string;
  readonly isAlive: boolean;
  /** Was it ever held up (a stalled event loop)? Then its answers may be late. */
  readonly pauses: number;
  kill(): void;
  pause(): void;
  never<T>(): Promise<T>;
  /** Hands on the result, or nothing at all when the process died meanwhile. */
  lives<T>(work: Promise<T>): Promise<T>;
  /** Rejects when the process dies. */
  readonly death: Promise<never>;
};

class Died extends Error {}

export function createMortal(name: string, onDeath: () => void): Mortal {
  let isAlive = true;
  let pauses = 0;
  const { promise: death, reject } = Promise.withResolvers<never>();
  death.catch(() => {});
  const never = <T>(): Promise<T> => new Promise<T>(() => {});

  return {
    name,
    get isAlive() {
      return isAlive;
    },
    get pauses() {
      return pauses;
    },
    kill() {
      if (!isAlive) return;
      isAlive = false;
      reject(new Died(`${name} was killed`));
      onDeath();
    },
    pause() {
      pauses += 1;
    },
    never,
    lives: <T>(work: Promise<T>): Promise<T> =>
      work.then(
        (result) => (isAlive ? result : never()),
        (error) => (isAlive ? Promise.reject(error) : never()),
      ),
    death,
  };
}
