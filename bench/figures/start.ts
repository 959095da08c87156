// How soon a new pod is of use, and how much has to be pulled for it.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { askOnce } from '../client.ts';
import { digits, type Figure, type Setting, spreadText } from '../figure.ts';
import { type Program, startCloud, startHook, startPlainRoute } from '../processes/start.ts';
import { settledFleet } from '../settled-fleet.ts';
import { spreadOf } from '../statistics.ts';

const SCALES = { tiny: 1, quick: 3, full: 5 };
const ROOT = join(import.meta.dirname, '..', '..');
/** The image goes without them (deploy/image-tree.ts). */
const LEFT_OUT = ['simulator', 'local'];

export async function start({ scale, folder }: Setting): Promise<Figure> {
  const fleet = await settledFleet(1, { isNow: true });
  const cloud = await startCloud(folder, fleet.cloud);
  const hooks: number[] = [];
  const plain: number[] = [];
  const ratios: number[] = [];
  for (let turn = 0; turn < SCALES[scale]; turn += 1) {
    const ours = await timed(() => startHook(cloud.url), '/sync', fleet.body(0));
    const bare = await timed(() => startPlainRoute(folder, '{}'), '/parsed', fleet.body(0));
    hooks.push(ours);
    plain.push(bare);
    ratios.push(ours / bare);
  }
  await cloud.stop();
  const ratio = spreadOf(ratios);
  const sources = sizeOf(join(ROOT, 'src'), LEFT_OUT);
  const packages = productionPackages();
  const megabytes = (bytes: number) => digits(bytes / 2 ** 20, 1);
  return {
    title: 'Start',
    lines: [
      {
        what: 'process start to first answered hook, ms (login and list of instances included)',
        value: digits(spreadOf(hooks).median, 0),
        spread: spreadText(spreadOf(hooks), 0),
      },
      {
        what: '... / the same for the bare Fastify route',
        value: digits(ratio.median),
        spread: spreadText(ratio),
      },
      {
        what: 'content of the image beside Node: sources + packages as installed, MB',
        value: `${megabytes(sources)} + ${megabytes(packages.bytes)}`,
      },
    ],
    plots: [],
    notes: [
      `The image drops tests, types and docs of the ${packages.count} packages, so its packages are smaller than installed.`,
    ],
  };
}

async function timed(launch: () => Promise<Program>, path: string, body: string): Promise<number> {
  const startedAt = performance.now();
  const program = await launch();
  await askOnce(program.port, path, body);
  const ms = performance.now() - startedAt;
  await program.stop();
  return ms;
}

function productionPackages(): { count: number; bytes: number } {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; optional?: boolean }>;
  };
  const folders = Object.entries(lock.packages)
    .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional)
    .map(([path]) => join(ROOT, path));
  const bytes = folders.reduce((total, folder) => total + sizeOf(folder, ['node_modules']), 0);
  return { count: folders.length, bytes };
}

function sizeOf(folder: string, leftOut: readonly string[]): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (leftOut.includes(entry.name)) continue;
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? sizeOf(path, []) : statSync(path).size;
  }
  return bytes;
}
