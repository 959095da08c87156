// How long each test file took the last time, so that the longest begin first and none is left alone at the end.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY } from './command.ts';

const KEPT = join(REPOSITORY, '.tap/file-times.json');

const UNKNOWN_MS = 1_000_000;
const KNOWN_LONG_MS = 1_000_000_000;

type Times = Record<string, number>;

const isTimes = (given: unknown): given is Times =>
  typeof given === 'object' && given !== null && Object.values(given).every((ms) => typeof ms === 'number');

function readTimes(): Times {
  try {
    const kept: unknown = JSON.parse(readFileSync(KEPT, 'utf8'));
    return isTimes(kept) ? kept : {};
  } catch {
    return {};
  }
}

/** They wait most of the time. In a checkout that has timed nothing yet they begin first, so that others fill the gaps. */
export const KNOWN_LONG: readonly string[] = [
  'test/e2e/suite.test.ts',
  'test/e2e/rotation.test.ts',
  'test/chaos/chaos.test.ts',
  'test/playground/life.test.ts',
  'test/plugin/cluster.test.ts',
  'test/insight/prometheus.test.ts',
  'test/e2e/share.test.ts',
  'test/jobs/root-rotation-client.test.ts',
];

/**
 * What nobody has timed yet may be long: it begins early, in the order given. Groups of files only compute: they come
 * last, and fill the cores while those that wait end one by one.
 */
export function longestFirst(
  groups: readonly (readonly string[])[],
  times: Times = readTimes(),
): (readonly string[])[] {
  const timeOf = (file: string) => times[file] ?? (KNOWN_LONG.includes(file) ? KNOWN_LONG_MS : UNKNOWN_MS);
  const length = (files: readonly string[]) => files.reduce((sum, file) => sum + timeOf(file), 0);
  const isGroup = (files: readonly string[]) => Number(files.length > 1);
  return groups.toSorted((a, b) => isGroup(a) - isGroup(b) || length(b) - length(a));
}

export function keepTimes(measured: readonly { file: string; ms: number }[]): void {
  const times = {
    ...readTimes(),
    ...Object.fromEntries(measured.map(({ file, ms }) => [file, Math.round(ms)])),
  };
  mkdirSync(dirname(KEPT), { recursive: true });
  writeFileSync(KEPT, JSON.stringify(times, null, 1));
}
