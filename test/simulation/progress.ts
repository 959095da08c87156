// A bar on a terminal, a line every ten seconds elsewhere.

const EVERY_MS = 10_000;
const WIDTH = 40;

export function createProgress(total: number) {
  const { isTTY } = process.stderr;
  const startedAt = performance.now();
  let lastAt = startedAt;

  const rate = (done: number) => `${(done / ((performance.now() - startedAt) / 1000)).toFixed(1)}/s`;

  return {
    show(done: number, broken: number): void {
      const now = performance.now();
      if (now - lastAt < (isTTY ? 100 : EVERY_MS)) return;
      lastAt = now;
      if (!isTTY) {
        console.error(`${done} of ${total} schedules, ${broken} broken, ${rate(done)}`);
        return;
      }
      const filled = Math.round((WIDTH * done) / total);
      process.stderr.write(
        `\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done}/${total} ${broken} broken ${rate(done)} `,
      );
    },
    end(): void {
      if (isTTY) process.stderr.write('\r\x1b[K');
    },
  };
}
