// `node test/cluster/prepare.ts` builds what the cluster tests need, so that no test waits for a cold build.
import { ensureBinaries } from './binaries.ts';
import { ensurePackageTools } from './package-tools.ts';

const log = (line: string): void => console.log(line);

try {
  const binaries = { ...(await ensureBinaries(log)), ...(await ensurePackageTools(log)) };
  console.log(`built: ${Object.values(binaries).join(' ')}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
