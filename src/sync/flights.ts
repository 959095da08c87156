// One call per UID at a time inside a replica. A second call waits and then makes its own pass: joining would
// hand the answer for an older parent to a newer one.

export type Flights = <T>(uid: string, run: () => Promise<T>) => Promise<T>;

export function createFlights(): Flights {
  const tails = new Map<string, Promise<unknown>>();
  return async (uid, run) => {
    const before = tails.get(uid);
    const mine = before ? before.then(run, run) : run();
    tails.set(uid, mine);
    try {
      return await mine;
    } finally {
      if (tails.get(uid) === mine) tails.delete(uid);
    }
  };
}
