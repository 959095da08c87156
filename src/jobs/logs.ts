// Entry of the log Job's containers: `node src/jobs/logs.ts errorlog|slowlog …`.

import { readFileSync, writeFileSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import { createUndiciSend } from '../otc/undici-send.ts';
import { writeLogReport } from '../rds/log-report.ts';
import { ArgumentError, readArguments } from './logs/arguments.ts';
import { runLogJob } from './logs/run.ts';

const tell = (line: string) => void process.stderr.write(`${line}\n`);

function print(line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

function leave(file: string, report: string): void {
  try {
    writeFileSync(file, report);
  } catch (error) {
    tell(`the report could not be left: ${(error as NodeJS.ErrnoException).code}`);
  }
}

async function main(): Promise<void> {
  const args = readArguments(process.argv.slice(2));
  const { send, close } = createUndiciSend();
  const report = await runLogJob({
    args,
    credential: readFileSync(args.credentialFile, 'utf8'),
    send,
    clock: systemClock,
    random: Math.random,
    print,
    tell: (line) => tell(`${args.log}: ${line}`),
    onStop: (stop) => process.once('SIGTERM', () => stop('The pod was stopped')),
  });
  leave(args.reportFile, writeLogReport(report));
  await close();
  process.exitCode = report.exitCode;
}

main().catch((error: unknown) => {
  const known = error instanceof ArgumentError;
  tell(
    known ? `bad arguments: ${error.message}` : `failed: ${error instanceof Error ? error.message : error}`,
  );
  process.exitCode = known ? 2 : 1;
});
