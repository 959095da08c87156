// Some seeds in a thread of its own: a range in, one short result per schedule out.

import { parentPort } from 'node:worker_threads';
import { type Cells, countCells } from './cells.ts';
import { runSchedule } from './schedule.ts';

export type SeedRange = { first: number; count: number };
export type Brief = {
  seed: number;
  invariant: string | undefined;
  rds: number;
  specChanges: number;
  hookCalls: number;
  faults: number;
};
export type SeedResults = { briefs: Brief[]; cells: [string, number][]; cpuMs: number };

parentPort?.on('message', async ({ first, count }: SeedRange) => {
  const cells: Cells = new Map();
  const briefs: Brief[] = [];
  const before = process.threadCpuUsage();
  for (let seed = first; seed < first + count; seed += 1) {
    const { violation, fired, rds, specChanges, hookCalls } = await runSchedule(seed);
    countCells(cells, fired);
    briefs.push({ seed, invariant: violation?.invariant, rds, specChanges, hookCalls, faults: fired.length });
  }
  const { user, system } = process.threadCpuUsage(before);
  const results: SeedResults = { briefs, cells: [...cells], cpuMs: (user + system) / 1000 };
  parentPort?.postMessage(results);
});
