// Plants each known bug into a copy of src and lets the simulation look for it:
// `node test/simulation/planted.ts [--seconds 60] [--only text,text] [--jobs 2]`. Ends with 1 when one is not found.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { plant } from './plant.ts';
import { PLANTED_BUGS, type PlantedBug } from './planted-bugs.ts';

const run = promisify(execFile);

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    schedules: { type: 'string', default: '2000' },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '2' },
  },
});

type Hunted = {
  tried: number;
  others: string[];
  found?: { invariant: string; message: string; what: string };
};
type Line = { bug: PlantedBug; hunted: Hunted; problem: string | undefined };

async function hunt(bug: PlantedBug): Promise<Line> {
  const home = mkdtempSync(join(tmpdir(), 'rds-pilot-planted-'));
  try {
    plant(bug, home, ['test/simulation']);
    const script = join(home, 'test/simulation/hunt.ts');
    const args = [
      script,
      '--seconds',
      values.seconds,
      '--schedules',
      values.schedules,
      '--breaks',
      bug.breaks.join(','),
    ];
    const { stdout } = await run(process.execPath, args, { maxBuffer: 1 << 24 });
    const hunted = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Hunted;
    const others = hunted.others.length > 0 ? ` (only ${hunted.others.slice(0, 3).join(', ')})` : '';
    return { bug, hunted, problem: hunted.found ? undefined : `NOT FOUND${others}` };
  } catch (error) {
    return {
      bug,
      hunted: { tried: 0, others: [] },
      problem: error instanceof Error ? error.message.split('\n')[0] : 'failed',
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

const wanted = values.only.split(',');
const waiting = PLANTED_BUGS.filter(({ name }) => wanted.some((text) => name.includes(text)));
const lines: Line[] = [];

async function worker(): Promise<void> {
  for (let bug = waiting.shift(); bug; bug = waiting.shift()) {
    const line = await hunt(bug);
    lines.push(line);
    const { tried, found } = line.hunted;
    console.log(
      `${line.problem ? 'BAD ' : 'ok  '} ${bug.name} | ${found?.invariant ?? '-'} | ${tried} schedules${line.problem ? ` | ${line.problem}` : ''}`,
    );
  }
}

await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
const bad = lines.filter(({ problem }) => problem !== undefined);
const counts = lines
  .flatMap(({ problem, hunted }) => (problem === undefined ? [hunted.tried] : []))
  .sort((a, b) => a - b);
console.log(
  `${lines.length - bad.length} of ${lines.length} planted bugs found; median ${counts[Math.floor(counts.length / 2)] ?? 0} schedules, most ${counts.at(-1) ?? 0}`,
);
if (bad.length > 0) process.exit(1);
