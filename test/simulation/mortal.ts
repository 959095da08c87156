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
  /** Hands on the result, or fails at the moment when the process dies. */
  orDies<T>(work: Promise<T>): Promise<T>;
};

class Died extends Error {}

export function createMortal(name: string, onDeath: () => void): Mortal {
  let isAlive = true;
  let pauses = 0;
  /** Whoever waits for this process right now. */
  const waiting = new Set<(reason: Died) => void>();
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
      for (const reject of waiting) reject(new Died(`${name} was killed`));
      waiting.clear();
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
    orDies: <T>(work: Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        if (isAlive) waiting.add(reject);
        else reject(new Died(`${name} was killed`));
        void work.then(resolve, reject).then(() => waiting.delete(reject));
      }),
  };
}
