// A laptop instead of a cluster: API server in memory, Metacontroller's part, a folder of manifests, a table.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Clock } from '../clock.ts';
import type { KubeCall, KubeObject } from '../kube/api.ts';
import { rdsBackupCrd, rdsCrd } from '../rds/crd.ts';
import { createApiServer } from './api-server.ts';
import { backupAdmission } from './backup-admission.ts';
import type { CallHook } from './hook-call.ts';
import { createHttpHook } from './http-hook.ts';
import { createManifests } from './manifests.ts';
import { createMetacontroller } from './metacontroller.ts';
import { rdsAdmission } from './rds-admission.ts';
import { tableRows } from './table.ts';
import { createTableWriter, type Output } from './terminal.ts';
import type { WatchEvent } from './watch.ts';

export type Laptop = {
  kube: KubeCall;
  objects(kind: string): KubeObject[];
  /** Everything that changes, from now on. */
  watch(listener: (event: WatchEvent) => void): () => void;
  /** Starts the loop against a running hook; `watchHook` may look at each call. */
  start(hook: {
    url: string;
    token?: string | undefined;
    watchHook?: ((call: CallHook) => CallHook) | undefined;
  }): Promise<void>;
  /** Applies the folder and follows it. */
  follow(folder: string): Promise<void>;
  /** Redraws the table when something changes. */
  show(output: Output): void;
  stop(): void;
};

export type LaptopOptions = {
  clock: Clock;
  /** One CompositeController each. */
  controllerFiles: readonly URL[];
  namespace: string;
  speed: number;
  onProblem: (message: string) => void;
};

const REDRAW_MS = 1_000;
const SHOWN = ['Rds', 'RdsBackup'];

export async function createLaptop(options: LaptopOptions): Promise<Laptop> {
  const { clock } = options;
  const api = createApiServer({
    clock,
    uid: randomUUID,
    admission: { Rds: rdsAdmission, RdsBackup: backupAdmission },
    namespaces: ['default', options.namespace],
  });
  for (const crd of [rdsCrd(), rdsBackupCrd()]) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await api.call({ method: 'POST', path, body: crd, deadlineMs: 1_000 });
  }
  const stopping = new AbortController();
  const stops: (() => void)[] = [() => stopping.abort()];
  const objects = (kind: string) => api.dump().filter((object) => object.kind === kind);

  return {
    kube: api.call,
    objects,
    watch: api.watch,
    async start({ url, token, watchHook = (call) => call }) {
      const callHook = watchHook(createHttpHook({ baseUrl: url, ...(token ? { token } : {}) }));
      for (const file of options.controllerFiles) {
        const loop = createMetacontroller({
          controller: parse(readFileSync(file, 'utf8')) as KubeObject,
          kube: api.call,
          watch: api.source,
          callHook,
          clock,
          speed: options.speed,
          onEvent: (event) => {
            if (event.type === 'failed') options.onProblem(`${event.key}: ${event.message}`);
          },
        });
        stops.push(loop.stop);
        await loop.start();
      }
    },
    async follow(folder) {
      const manifests = createManifests({
        folder,
        kube: api.call,
        clock,
        onProblem: ({ file, line, reason }) => options.onProblem(`${file}:${line}: ${reason}`),
      });
      await manifests.apply();
      manifests.follow(stopping.signal).catch((error: unknown) => options.onProblem(String(error)));
    },
    show(output) {
      const writer = createTableWriter(output);
      const draw = () =>
        writer.draw(tableRows(SHOWN.flatMap(objects), { now: clock.now(), ages: output.isTTY === true }));
      const timer = setInterval(draw, REDRAW_MS);
      stops.push(
        () => clearInterval(timer),
        api.watch(({ object }) => SHOWN.includes(object.kind) && draw()),
      );
      draw();
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}
