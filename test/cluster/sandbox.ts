// A better box for containers. As root on Linux: a mount namespace with a throw-away copy of the root
// file system, volumes mounted where the pod wants them, and the pod's user. Elsewhere: paths are replaced.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Box,
  type BoxedCommand,
  type Launch,
  replacedPaths,
  SYSTEM_PATH,
} from '../../src/local/pods/box.ts';

export type Isolation = 'namespace' | 'substitution';

// The mount points are made inside the copy: an absolute link such as /var/run would lead out of it otherwise.
const SCRIPT = `
set -eu
box=$1 rootmode=$2 user=$3 group=$4 groups=$5 cwd=$6 count=$7
shift 7
mount -t tmpfs tmpfs "$box"
mkdir "$box/upper" "$box/work" "$box/merged"
mount -t overlay overlay -o "lowerdir=/,upperdir=$box/upper,workdir=$box/work" "$box/merged"
for dir in proc sys; do mount --rbind "/$dir" "$box/merged/$dir"; done
dev=$box/merged/dev
mount -t tmpfs -o mode=755 tmpfs "$dev"
for node in null zero full random urandom; do : > "$dev/$node"; mount --bind "/dev/$node" "$dev/$node"; done
ln -s /proc/self/fd "$dev/fd"
for number in 0 1 2; do ln -s "/proc/self/fd/$number" "$dev/$(echo stdin stdout stderr | cut -d' ' -f$((number + 1)))"; done
while [ "$count" -gt 0 ]; do
  if [ -d "$1" ]; then chroot "$box/merged" mkdir -p "$2"
  else chroot "$box/merged" sh -c 'mkdir -p "$(dirname "$1")" && : > "$1"' sh "$2"; fi
  target=$(chroot "$box/merged" readlink -f "$2")
  mount --bind "$1" "$box/merged$target"
  [ "$3" = rw ] || mount -o remount,bind,ro "$box/merged$target"
  shift 3
  count=$((count - 1))
done
[ "$rootmode" = rw ] || mount -o remount,ro "$box/merged"
[ -z "$groups" ] && supplementary=--clear-groups || supplementary=--groups=$groups
exec chroot "$box/merged" setpriv --reuid="$user" --regid="$group" "$supplementary" \\
  --no-new-privs --inh-caps=-all --bounding-set=-all \\
  sh -c 'cd "$1" && shift && exec "$@"' sh "$cwd" "$@"
`;

function inNamespace(boxed: BoxedCommand): Launch {
  const { argv, env, cwd, mounts, user, group, groups, readOnlyRoot, boxDir } = boxed;
  const mountWords = mounts.flatMap(({ source, path, readOnly }) => [source, path, readOnly ? 'ro' : 'rw']);
  const identity = [readOnlyRoot ? 'ro' : 'rw', String(user), String(group), groups.join(',')];
  const box = [boxDir, ...identity, cwd, String(mounts.length), ...mountWords];
  return {
    command: 'unshare',
    args: ['--mount', '--propagation', 'private', 'sh', '-c', SCRIPT, 'box', ...box, ...argv],
    env: { ...env, PATH: env.PATH ? `${env.PATH}:${SYSTEM_PATH}` : SYSTEM_PATH },
    cwd: '/',
  };
}

export const boxOf = (isolation: Isolation): Box =>
  isolation === 'namespace' ? { launch: inNamespace, hasOwnUser: true } : replacedPaths;

/** Tried once with an empty command; why it is not possible is part of the answer. */
export function probeIsolation(): { isolation: Isolation; why?: string } {
  if (process.platform !== 'linux') return { isolation: 'substitution', why: 'mount namespaces need Linux' };
  if (process.getuid?.() !== 0) return { isolation: 'substitution', why: 'mount namespaces need root' };
  const dir = mkdtempSync(join(tmpdir(), 'rds-pilot-box-'));
  try {
    mkdirSync(join(dir, 'box'));
    const launch = inNamespace({
      argv: ['true'],
      env: {},
      cwd: '/',
      mounts: [{ source: dir, path: '/var/run/rds-pilot-probe', readOnly: true }],
      user: 65532,
      group: 65532,
      groups: [],
      readOnlyRoot: true,
      boxDir: join(dir, 'box'),
    });
    const { status, stderr, error } = spawnSync(launch.command, launch.args, {
      env: launch.env,
      encoding: 'utf8',
    });
    if (status === 0) return { isolation: 'namespace' };
    return { isolation: 'substitution', why: error?.message ?? stderr.trim() };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
