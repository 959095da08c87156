// A copy of the sources with exact edits. An edit that no longer fits its file fails loudly and must be renewed.

import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlantedBug } from './planted-bug.ts';

const ROOT = new URL('../../', import.meta.url).pathname;

/** `folders`: what is copied into `home` beside src; the rest that a program needs is linked. */
export function plant({ name, edits }: PlantedBug, home: string, folders: readonly string[] = []): void {
  for (const folder of ['src', ...folders])
    cpSync(join(ROOT, folder), join(home, folder), { recursive: true });
  for (const link of ['node_modules', 'metacontroller', 'package.json'])
    symlinkSync(join(ROOT, link), join(home, link));
  for (const { file, search, replace } of edits) {
    const path = join(home, 'src', file);
    const text = readFileSync(path, 'utf8');
    const hits = text.split(search).length - 1;
    if (hits !== 1)
      throw new Error(`"${name}": its search text occurs ${hits} times in src/${file}; renew the edit`);
    writeFileSync(
      path,
      text.replace(search, () => replace),
    );
  }
}
