// What stands for a container image: a folder of this machine, seen at the image's working directory.
import { join } from 'node:path';

export type LocalImage = {
  /** On this machine. */
  folder: string;
  /** Where the container sees it (read-only). */
  workingDir: string;
  /** Used when the container names no `command`. */
  entrypoint: string[];
  /** Folders in front of the system's PATH, as the container sees them. */
  path: string[];
  /** The image's USER. */
  user: number;
};

/** The checkout as the project's own image: its sources and its Node below /app. */
export const checkoutImage = (): LocalImage => ({
  folder: join(import.meta.dirname, '..', '..', '..'),
  workingDir: '/app',
  entrypoint: ['node'],
  path: ['/app/node_modules/.bin'],
  user: 65532,
});
