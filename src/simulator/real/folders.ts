// Where servers and dumps are kept.
import { existsSync } from 'node:fs';
import { rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

export type Folders = ReturnType<typeof foldersIn>;

export const foldersIn = (root: string) => {
  const instances = join(root, 'instances');
  const instance = (id: string) => join(instances, id);
  const backups = join(root, 'backups');
  const dump = (backupId: string) => join(backups, backupId);
  return {
    root,
    instances,
    backups,
    instance,
    dump,
    /** Written when an instance is built. */
    ready: (id: string) => join(instance(id), 'ready'),
    /** What is ours goes; a folder that somebody else uses too stays. */
    async remove(): Promise<void> {
      for (const path of [instances, backups]) await rm(path, { recursive: true, force: true });
      await rmdir(root).catch(() => {});
    },
    hasDump: (backupId: string) => backupId !== '' && existsSync(dump(backupId)),
  };
};
