// The real process with its page, and a real browser in front of it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { COMPILED } from '../support/compiled.ts';

const SERVER = new URL('../../src/server.ts', import.meta.url).pathname;
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const browserPath = process.env.CHROMIUM ?? BROWSERS.find((path) => existsSync(path));

/** Without a browser there is nothing to see; on CI that is a failure, on a laptop a skip that says why. */
export const noBrowser =
  browserPath === undefined && process.env.CI !== 'true'
    ? 'no Chromium here: install it, or name it in CHROMIUM'
    : false;

/** Only for what never happens: a busy machine is slow. */
const PATIENCE_MS = 300_000;

export type Stage = { page: string; hook: string; cloud: string };

export async function startStage(t: Test, options: { speed: number }): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'playground-'));
  const child = spawn(process.execPath, [SERVER], {
    env: {
      PATH: process.env.PATH,
      ...COMPILED,
      OTC_SIMULATOR: 'embedded',
      PORT: '0',
      SIMULATOR_PORT: '0',
      SIMULATOR_SPEED: `${options.speed}`,
      LOCAL_MANIFESTS: folder,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true });
  });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (/^playground .*\n/m.test(output)) resolve();
    });
    child.once('exit', () => reject(new Error(`the server ended: ${output}`)));
  });
  const address = (name: string) => new RegExp(`^${name} +(http://[0-9.:]+)`, 'm').exec(output)?.[1] ?? '';
  return { page: address('playground'), hook: address('hook'), cloud: address('cloud') };
}

export async function openBrowser(t: Test): Promise<Browser> {
  const browser = await chromium.launch({
    ...(browserPath ? { executablePath: browserPath } : {}),
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  t.teardown(() => browser.close());
  return browser;
}

/** A page together with every complaint of the browser about it. */
export async function openPage(
  browser: Browser,
  url: string,
  look: { colorScheme?: 'light' | 'dark'; viewport?: { width: number; height: number } } = {},
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...look });
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  return { page, complaints };
}

/** What an accessibility checker finds, one line each. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
}

/** A wire that can be cut and mended, always on the same port. */
export async function createWire(t: Test, target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const open = (at: number): Promise<Server> => {
    const server = createServer((near) => {
      const far = connect(Number(port), hostname);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
      near.pipe(far).pipe(near);
    });
    return new Promise((resolve) => server.listen(at, '127.0.0.1', () => resolve(server)));
  };
  let server = await open(0);
  const own = (server.address() as { port: number }).port;
  const cut = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  t.teardown(() => (server.listening ? cut() : undefined));
  return {
    url: `http://127.0.0.1:${own}`,
    cut,
    async mend() {
      server = await open(own);
    },
  };
}
