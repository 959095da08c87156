import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ensureBinaries, KUBE_VERSION } from './binaries.ts';
import { cacheFolder } from './go-build.ts';

t.setTimeout(1_800_000);

t.test('the cache is outside the repository and follows the usual variables', async (t) => {
  t.equal(cacheFolder({ RDS_PILOT_CACHE: '/a', XDG_CACHE_HOME: '/b', HOME: '/c' }), '/a');
  t.equal(cacheFolder({ XDG_CACHE_HOME: '/b', HOME: '/c' }), '/b/rds-pilot');
  t.equal(cacheFolder({ HOME: '/c' }), '/c/.cache/rds-pilot');
});

t.test('the binaries are built once and say the version that is pinned', async (t) => {
  const { apiServer, controllerManager } = await ensureBinaries(t.comment.bind(t));
  const lines: string[] = [];
  await ensureBinaries((line) => lines.push(line));
  t.same(lines, [], 'a second call builds nothing');
  for (const binary of [apiServer, controllerManager]) {
    t.equal(execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim(), `Kubernetes ${KUBE_VERSION}`);
  }
});

t.test('without Go the error says what to install', async (t) => {
  const env = { RDS_PILOT_CACHE: t.testdir({}), PATH: '' };
  await t.rejects(ensureBinaries(undefined, env), { message: /`go` is not on the PATH.*Go 1\.26/ });
});

t.test('a failed build leaves nothing half made, and a later one succeeds', async (t) => {
  const root = t.testdir({});
  const fake = join(root, 'path');
  await mkdir(fake);
  const go = async (script: string) => {
    await writeFile(join(fake, 'go'), `#!/bin/sh\n${script}\n`);
    await chmod(join(fake, 'go'), 0o755);
  };
  const env = { RDS_PILOT_CACHE: join(root, 'cache'), PATH: `${fake}:/usr/bin:/bin` };
  const findTarget = 'while [ "$1" != -o ]; do shift; done';

  await go(`${findTarget}; echo half > "$2"; echo "no such module" >&2; exit 1`);
  await t.rejects(ensureBinaries(undefined, env), { message: /go build of etcd failed:\nno such module/ });
  t.same(await readdir(join(root, 'cache', 'bin')), []);

  await go(`${findTarget}; echo whole > "$2"; chmod +x "$2"; echo "$2" >> ${root}/builds`);
  await Promise.all([ensureBinaries(undefined, env), ensureBinaries(undefined, env)]);
  t.same((await readdir(join(root, 'cache', 'bin'))).length, 6, 'three binaries with their stamps');
  const builds = execFileSync('wc', ['-l', join(root, 'builds')], { encoding: 'utf8' });
  t.match(builds, /^3 /, 'two callers at once build each binary once');
});
