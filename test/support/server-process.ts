// The real process on the embedded simulator, ready to be called.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Test } from 'tap';
import { COMPILED } from './compiled.ts';

const server = new URL('../../src/server.ts', import.meta.url).pathname;

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}

export async function startServer(t: Test, env: Record<string, string> = {}) {
  const [port, simulatorPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [server], {
    env: {
      PATH: process.env.PATH,
      ...COMPILED,
      OTC_SIMULATOR: 'embedded',
      HOST: '127.0.0.1',
      PORT: `${port}`,
      SIMULATOR_PORT: `${simulatorPort}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  const exited = once(child, 'exit');
  while (!output.includes('listening') && child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return { port, simulatorPort, child, exited, output: () => output };
}

export const syncBody = (name: string) =>
  JSON.stringify({
    parent: {
      metadata: { name, namespace: 'team-a', uid: `00000000-0000-4000-8000-${name.padStart(12, '0')}` },
      spec: { password: 'A12345678+' },
    },
    children: {},
    related: {},
    finalizing: false,
  });

export const json = { 'content-type': 'application/json' };
