// Whatever ends this process (exit, crash, Ctrl-C, even SIGKILL), its children and temp folders go with it: a
// small shell waits on a pipe that only we hold, and cleans up when the pipe closes.
import { type ChildProcess, spawn } from 'node:child_process';

const SCRIPT = `
pids= dirs= newline='
'
without() {
  kept=
  IFS=$newline
  for item in $1; do [ "$item" = "$2" ] || kept="$kept$item$newline"; done
  unset IFS
}
while read -r verb value; do
  case $verb in
    +pid) pids="$pids$value$newline" ;;
    -pid) without "$pids" "$value"; pids=$kept ;;
    +dir) dirs="$dirs$value$newline" ;;
    -dir) without "$dirs" "$value"; dirs=$kept ;;
  esac
done
IFS=$newline
for pid in $pids; do kill -KILL "-$pid"; done
for dir in $dirs; do rm -rf -- "$dir" || { sleep 1; rm -rf -- "$dir"; }; done
`;

let guardian: ChildProcess | undefined;

function tell(line: string): void {
  if (!guardian) {
    guardian = spawn('sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    guardian.unref();
    if (guardian.stdin && 'unref' in guardian.stdin && typeof guardian.stdin.unref === 'function') {
      guardian.stdin.unref();
    }
  }
  guardian.stdin?.write(`${line}\n`);
}

/** The process must lead its own group (`detached: true`); the whole group is killed. */
export function guardProcess(pid: number): () => void {
  tell(`+pid ${pid}`);
  return () => tell(`-pid ${pid}`);
}

export function guardFolder(dir: string): () => void {
  tell(`+dir ${dir}`);
  return () => tell(`-dir ${dir}`);
}
