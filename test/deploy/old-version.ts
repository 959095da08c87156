// The sources of the version to upgrade from, out of git. UPGRADE_FROM names another commit or tag.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from '../cluster/node-process.ts';

/** The foundation, 0.1.0; to be the newest tag as soon as there is one. */
const DEFAULT = '89756bf';

export type OldVersion = { root: string; missing?: undefined } | { root?: undefined; missing: string };

export function checkOutOldVersion(from = process.env.UPGRADE_FROM ?? DEFAULT): OldVersion {
  const root = mkdtempSync(join(tmpdir(), 'rds-pilot-old-'));
  try {
    const archive = execFileSync('git', ['archive', from], {
      cwd: CHECKOUT,
      maxBuffer: 256 * 1024 * 1024,
      stdio: 'pipe',
    });
    execFileSync('tar', ['x', '-C', root], { input: archive });
  } catch {
    return { missing: `git has no ${from} here (a shallow clone?): nothing to upgrade from` };
  }
  symlinkSync(join(CHECKOUT, 'node_modules'), join(root, 'node_modules'));
  return { root };
}
