// Plays the Job controller and the pod of a drill: the program runs as a process of its own, with the files of the
// mounted Secret and nothing else, and its termination message is handed back.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../../src/kube/api.ts';
import { isoTime } from '../../src/rds/conditions.ts';
import { isDrillChild } from '../../src/rds/drill-wish.ts';
import { COMPILED } from '../support/compiled.ts';
import type { World } from '../support/world.ts';

const PROGRAM = new URL('../../src/jobs/drill.ts', import.meta.url).pathname;

type Item = { key: string; path: string };

export type DrillPods = {
  /** Container to message, by the name of the Job. */
  readJobMessages(job: { name: string }): Promise<Record<string, string>>;
  /** Runs each Job of a drill once; `hold` keeps time from passing meanwhile. */
  serve(world: World, hold: <T>(work: () => Promise<T>) => Promise<T>): void;
  /** Everything that the programs printed. */
  output(): string;
};

export function createDrillPods(): DrillPods {
  const messages: Record<string, string> = {};
  const started = new Set<string>();
  let printed = '';

  async function run(job: KubeObject, secret: KubeObject | undefined): Promise<number> {
    const folder = mkdtempSync(join(tmpdir(), 'rds-drill-'));
    const data = (secret?.data ?? {}) as Record<string, string>;
    const spec = job.spec as { template: { spec: { volumes: { secret: { items: Item[] } }[] } } };
    for (const { key, path } of spec.template.spec.volumes[0]?.secret.items ?? [])
      writeFileSync(join(folder, path), Buffer.from(data[key] ?? '', 'base64'));
    const termination = join(folder, 'termination');
    const env = { PATH: process.env.PATH, ...COMPILED, DRILL_DIR: folder, TERMINATION_LOG: termination };
    const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => {
        printed += text.toString();
      });
    const exitCode = await new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)));
    messages[job.metadata.name] = readFileSync(termination, 'utf8');
    rmSync(folder, { recursive: true });
    return exitCode;
  }

  async function carryOut(world: World, job: KubeObject): Promise<void> {
    const { namespace, name } = job.metadata;
    const exitCode = await run(job, await world.object(`/api/v1/namespaces/${namespace}/secrets/${name}`));
    const lastTransitionTime = isoTime(world.clock.now());
    const end = { type: exitCode === 0 ? 'Complete' : 'Failed', status: 'True', lastTransitionTime };
    await world.kube(
      'PATCH',
      `/apis/batch/v1/namespaces/${namespace}/jobs/${name}/status`,
      { status: { conditions: [end] } },
      'application/merge-patch+json',
    );
  }

  return {
    output: () => printed,
    readJobMessages: async ({ name }) => {
      const message = messages[name];
      return message === undefined ? ({} as Record<string, string>) : { drill: message };
    },
    serve(world, hold) {
      world.api.watch(({ type, object }) => {
        const { kind, metadata } = object;
        if (type === 'DELETED' || kind !== 'Job' || !isDrillChild(object) || started.has(metadata.name))
          return;
        started.add(metadata.name);
        void hold(() => carryOut(world, object));
      });
    },
  };
}
