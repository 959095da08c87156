// Keeps a simulated cloud in a file: written whole and swapped in, so a crash leaves the old or the new one.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

type StateFile = {
  /** Something may have changed: write soon. */
  touch(): void;
  /** Write now. */
  flush(): void;
};

export const readStateFile = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined;

export function createStateFile(path: string, save: () => string, delayMs = 500): StateFile {
  let written: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const text = save();
    if (text === written) return;
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
    written = text;
  }

  return {
    flush,
    touch() {
      timer ??= setTimeout(flush, delayMs);
    },
  };
}
