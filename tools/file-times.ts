// How long each test file took the last time, so that the longest begin first and none is left alone at the end.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { REPOSITORY } from './command.ts';

const KEPT = join(REPOSITORY, '.tap/file-times.json');

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

/** What nobody has timed yet may be long: it begins early, in the order given. */
export function longestFirst(
  groups: readonly (readonly string[])[],
  times: Times = readTimes(),
): (readonly string[])[] {
  const length = (files: readonly string[]) =>
    files.reduce((sum, file) => sum + (times[file] ?? Infinity), 0);
  return groups.toSorted((a, b) => length(b) - length(a) || 0);
}

export function keepTimes(measured: readonly { file: string; ms: number }[]): void {
  const times = {
    ...readTimes(),
    ...Object.fromEntries(measured.map(({ file, ms }) => [file, Math.round(ms)])),
  };
  mkdirSync(dirname(KEPT), { recursive: true });
  writeFileSync(KEPT, JSON.stringify(times, null, 1));
}
