// The simulator as a process of its own, with what tests ask and do through its `/_sim` controls.
import { join } from 'node:path';
import { request } from 'undici';
import { DEMO_DOMAIN, DEMO_PROJECT, DEMO_USER, REGION } from '../../src/simulator/demo-account.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { freePort } from './free-port.ts';
import { createNodeProcess } from './node-process.ts';
import type { Service } from './service.ts';

export type CloudInstance = {
  id: string;
  name: string;
  status: string;
  volumeGb: number;
  flavor: string;
  tags: { key: string; value: string }[];
};
export type CloudEvent = { at: number; kind: string; instanceId: string; name: string };
export type CloudBackup = { id: string; name: string; instanceId: string; status: string; endAt?: number };

export type SimulatedCloud = {
  service: Service;
  url: string;
  /** What a hook needs to know of it: the demo account. */
  env: Record<string, string>;
  instances: () => Promise<CloudInstance[]>;
  events: () => Promise<CloudEvent[]>;
  backups: () => Promise<CloudBackup[]>;
  /** Calls so far by `service method route`. */
  calls: () => Promise<Record<string, number>>;
  addFault: (fault: Fault) => Promise<void>;
  /** In percent. */
  load: (id: string, load: { disk: number }) => Promise<void>;
  clearFaults: () => Promise<void>;
};

export type CloudOptions = {
  dir: string;
  speed: number;
  port?: number;
  listLagSeconds?: number;
  /** Another program with the same flags. */
  entry?: string;
  /** The cloud outlives its process there. */
  stateFile?: string;
  /** A real MariaDB or PostgreSQL behind each instance. */
  realDatabases?: boolean;
};

export async function startSimulatedCloud(options: CloudOptions): Promise<SimulatedCloud> {
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const service = createNodeProcess({
    name: 'simulator',
    entry: options.entry ?? 'src/simulator/main.ts',
    args: [
      `--port=${port}`,
      `--speed=${options.speed}`,
      `--list-lag=${options.listLagSeconds ?? 0}`,
      ...(options.stateFile === undefined ? [] : [`--state=${options.stateFile}`]),
      ...(options.realDatabases ? ['--mysql=own', '--postgres=own'] : []),
    ],
    logFile: join(options.dir, 'simulator.log'),
    readyUrl: `${url}/_sim/calls`,
  });
  await service.start();

  const ask = async <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> => {
    const response = await request(`${url}/_sim/${path}`, {
      method,
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`simulator: ${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  };

  return {
    service,
    url,
    env: {
      OS_AUTH_URL: `${url}/v3`,
      OS_REGION_NAME: REGION,
      OS_PROJECT_NAME: DEMO_PROJECT.name,
      OS_DOMAIN_NAME: DEMO_DOMAIN.name,
      OS_USERNAME: DEMO_USER.name,
      OS_PASSWORD: DEMO_USER.password,
    },
    instances: async () => (await ask<{ instances: CloudInstance[] }>('GET', 'instances')).instances,
    events: async () => (await ask<{ events: CloudEvent[] }>('GET', 'events')).events,
    backups: async () => (await ask<{ backups: CloudBackup[] }>('GET', 'backups')).backups,
    calls: async () => {
      const calls = await ask<Record<string, Record<string, number>>>('GET', 'calls');
      return Object.fromEntries(
        Object.entries(calls).flatMap(([name, routes]) =>
          Object.entries(routes).map(([route, count]) => [`${name} ${route}`, count]),
        ),
      );
    },
    load: async (id, load) => void (await ask('POST', 'load', { id, ...load })),
    addFault: async (fault) => void (await ask('POST', 'faults', fault)),
    clearFaults: async () => void (await ask('DELETE', 'faults')),
  };
}
