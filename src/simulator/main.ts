// The command `npm run simulator`: the simulated cloud alone, until it is told to stop.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BadArgument, readArguments, USAGE } from './arguments.ts';
import {
  DEMO_ACCESS_KEY,
  DEMO_DOMAIN,
  DEMO_PROJECT,
  DEMO_SECRET_KEY,
  DEMO_USER,
  REGION,
} from './demo-account.ts';
import type { Host } from './real/host.ts';
import { openHost } from './real/open-host.ts';
import type { SimulatorRequest } from './request.ts';
import { serveSimulator } from './server.ts';
import { createSimulator } from './simulator.ts';
import { createStateFile, readStateFile } from './state-file.ts';

const greeting = (url: string): string => `Open Telekom Cloud, simulated, at ${url}

  export OS_AUTH_URL=${url}/v3
  export OS_REGION_NAME=${REGION}
  export OS_DOMAIN_NAME=${DEMO_DOMAIN.name}
  export OS_PROJECT_NAME=${DEMO_PROJECT.name}
  export OS_USERNAME=${DEMO_USER.name}
  export OS_PASSWORD=${DEMO_USER.password}

  or OS_ACCESS_KEY=${DEMO_ACCESS_KEY} OS_SECRET_KEY=${DEMO_SECRET_KEY}
  project id ${DEMO_PROJECT.id}; controls at ${url}/_sim
`;

type RealFlags = ReturnType<typeof readArguments>['real'];

function openHosting({ folder, ...flags }: RealFlags, stateFile: string | undefined): Host | undefined {
  if (!flags.mysql && !flags.postgres) return undefined;
  const kept = folder ?? (stateFile && `${stateFile}.data`);
  return openHost({
    ...flags,
    folder: kept ?? mkdtempSync(join(tmpdir(), 'rds-simulator-')),
    report: (problem) => process.stderr.write(`simulator: ${problem}\n`),
  });
}

async function main(): Promise<void> {
  const { host, port, stateFile, real, options } = readArguments(process.argv.slice(2));
  const hosting = openHosting(real, stateFile);
  const simulator = createSimulator({ ...options, ...(hosting && { hosting }) });
  const saved = stateFile && readStateFile(stateFile);
  if (saved) simulator.load(saved);
  const file = stateFile ? createStateFile(stateFile, simulator.save) : undefined;
  const handle = (request: SimulatorRequest) => simulator.handle(request).finally(() => file?.touch());
  const server = await serveSimulator({ ...simulator, handle }, { host, port });
  process.stdout.write(greeting(server.url));
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, async () => {
      file?.flush();
      await server.close();
      await hosting?.close({ data: stateFile !== undefined });
      process.exit(0);
    });
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(error instanceof BadArgument ? `${message}\n\n${USAGE}` : `simulator: ${message}\n`);
  process.exitCode = error instanceof BadArgument ? 2 : 1;
});
