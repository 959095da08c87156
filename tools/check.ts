// `make check`: everything that can be said about the code without running it. Each check counts as one test.
import { run } from './command.ts';
import { closingLine, emptyTally, indented, isGood, seconds, type Tally } from './tally.ts';

const CHECKS = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'lint and format', command: ['biome', 'ci', '--colors=off', '--max-diagnostics=20', '.'] },
  { name: 'import boundaries', command: ['node', 'tools/check-boundaries.ts'] },
  { name: 'dead code', command: ['knip', '--no-progress', '--no-config-hints'] },
] as const;

export async function runChecks(tally: Tally): Promise<void> {
  await Promise.all(
    CHECKS.map(async ({ name, command }) => {
      const { ok, output, ms } = await run(command);
      console.log(`${ok ? 'ok  ' : 'FAIL'} ${seconds(ms)}  ${name} (${command.slice(0, 2).join(' ')})`);
      if (ok) tally.passed += 1;
      else {
        console.log(indented(output));
        tally.failures.push({ where: 'check', what: name, detail: `run \`npm run check\` to see it alone` });
      }
    }),
  );
}

if (import.meta.main) {
  const tally = emptyTally();
  await runChecks(tally);
  console.log(closingLine(tally));
  process.exitCode = isGood(tally) ? 0 : 1;
}
