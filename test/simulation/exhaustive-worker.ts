// One share of the exhaustive part in a thread of its own: name of a job in, what it found out.

import { parentPort } from 'node:worker_threads';
import type { Cells } from './cells.ts';
import { pairs, type Share, scenarioNamed, singles, tellFound } from './exhaustive.ts';

export type Job = { scenario: string; pairs?: Share };
export type Result = { runs: number; found: string[]; cells: [string, number][] };

parentPort?.on('message', async ({ scenario, pairs: share }: Job) => {
  const cells: Cells = new Map();
  const wanted = scenarioNamed(scenario);
  const { runs, found } = share ? await pairs(wanted, cells, share) : await singles(wanted, cells);
  const result: Result = { runs, found: found.map(tellFound), cells: [...cells] };
  parentPort?.postMessage(result);
});
