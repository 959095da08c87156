// `node test/cluster/prepare.ts` builds what the cluster tests need, so that no test waits for a cold build.
import { ensureBinaries } from './binaries.ts';

try {
  const binaries = await ensureBinaries((line) => console.log(line));
  console.log(`control plane binaries: ${Object.values(binaries).join(' ')}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
