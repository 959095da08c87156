// Many test files wait for processes and clocks. As many run side by side as there are cores, and another one whenever
// a core has nothing to do.
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 400;
/** Share of all cores that did nothing since the last look. */
const IDLE_SHARE = 0.25;

export type Width = { atLeast: number; atMost: number };

const WIDTH: Width = { atLeast: cpus().length, atMost: 4 * cpus().length };

function createIdleMeter(): () => number {
  const read = () => {
    const times = cpus().map((core) => core.times);
    const sum = (pick: (one: (typeof times)[number]) => number) =>
      times.reduce((total, one) => total + pick(one), 0);
    return {
      idle: sum(({ idle }) => idle),
      all: sum((one) => Object.values(one).reduce((a, b) => a + b, 0)),
    };
  };
  let last = read();
  return () => {
    const now = read();
    const share = now.all === last.all ? 0 : (now.idle - last.idle) / (now.all - last.all);
    last = now;
    return share;
  };
}

export async function runSideBySide<T>(
  tasks: readonly T[],
  run: (task: T) => Promise<void>,
  { atLeast, atMost }: Width = WIDTH,
  idleShare: () => number = createIdleMeter(),
): Promise<void> {
  const waiting = [...tasks];
  const running = new Set<Promise<void>>();
  const start = (): void => {
    const task = waiting.shift();
    if (task === undefined) return;
    const mine: Promise<void> = run(task).finally(() => running.delete(mine));
    running.add(mine);
  };
  while (waiting.length > 0 || running.size > 0) {
    const isIdle = idleShare() > IDLE_SHARE;
    if (isIdle && running.size < atMost) start();
    while (waiting.length > 0 && running.size < atLeast) start();
    await Promise.race([...running, ...(waiting.length > 0 ? [sleep(LOOK_MS)] : [])]);
  }
}
