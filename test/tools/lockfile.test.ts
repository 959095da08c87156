import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

type Package = { resolved?: string; optionalDependencies?: Record<string, string> };

const text = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8');
const { packages } = JSON.parse(text) as { packages: Record<string, Package> };

t.test('the lock file names no registry', async (t) => {
  const named = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined);
  t.strictSame(named, []);
});

t.test('the lock file has the binaries of every platform, else `npm ci` refuses it', async (t) => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
    ),
  );
  t.strictSame(missing, []);
});
