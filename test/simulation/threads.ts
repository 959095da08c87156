// Work shared out over threads: a job in, its result out, the next job to whoever is free.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Ends early when `take` says so with false. */
export async function inThreads<Job, Result>(
  script: URL,
  jobs: Iterable<Job>,
  threads: number,
  take: (result: Result, job: Job) => boolean,
): Promise<void> {
  const waiting = jobs[Symbol.iterator]();
  let goesOn = true;
  await Promise.all(
    Array.from({ length: threads }, async () => {
      const worker = new Worker(script, { execArgv: [], resourceLimits: { maxYoungGenerationSizeMb: 96 } });
      for (let next = waiting.next(); goesOn && !next.done; next = waiting.next()) {
        worker.postMessage(next.value);
        const [result] = await once(worker, 'message');
        goesOn = take(result as Result, next.value) && goesOn;
      }
      await worker.terminate();
    }),
  );
}
