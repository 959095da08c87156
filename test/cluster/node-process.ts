// One of the project's own programs as a process: `node <entry>` with exactly the environment it is given.
import { join } from 'node:path';
import { request } from 'undici';
import { createService, type Service } from './service.ts';

export const CHECKOUT = join(import.meta.dirname, '..', '..');

export type NodeProcessOptions = {
  name: string;
  /** Relative to `root`. */
  entry: string;
  args?: string[];
  env?: Record<string, string>;
  logFile: string;
  /** Answers 200 when it is ready. */
  readyUrl: string;
  /** Another copy of the sources; this checkout by default. */
  root?: string;
};

export function createNodeProcess(options: NodeProcessOptions): Service {
  return createService({
    name: options.name,
    command: process.execPath,
    args: [join(options.root ?? CHECKOUT, options.entry), ...(options.args ?? [])],
    env: options.env ?? {},
    logFile: options.logFile,
    isReady: async () => {
      const { statusCode, body } = await request(options.readyUrl, { headersTimeout: 10_000 });
      await body.dump();
      return statusCode === 200;
    },
  });
}
