// A change that was accepted and is wanted again, over and over: somebody else undoes it. After a few rounds we stop
// fighting and say so.

import type { Journal, Op } from '../../../rds/journal.ts';

const LIMIT = 3;
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

/** Orders of people are never counted: they may come as often as they like. */
const COUNTED: readonly string[] = [
  'resize',
  'replicationMode',
  'failoverStrategy',
  'port',
  'securityGroup',
  'backupPolicy',
  'parameters',
  'tags',
  'ssl',
  'window',
  'stop',
  'start',
];

export function countRepeat(journal: Journal, op: Op, generation: number): Journal {
  if (!COUNTED.includes(op.kind)) return journal;
  const before = journal.repeats?.[op.kind];
  const isSame =
    before?.key === op.key && before.generation === generation && op.at - before.at < FORGOTTEN_AFTER_MS;
  const count = isSame ? before.count + 1 : 1;
  return {
    ...journal,
    repeats: { ...journal.repeats, [op.kind]: { key: op.key, generation, count, at: op.at } },
  };
}

/** When it may be tried again; undefined when nothing stands in the way. */
export function foughtUntil(
  journal: Journal,
  op: Pick<Op, 'kind' | 'key'>,
  generation: number,
  at: number,
): number | undefined {
  const before = journal.repeats?.[op.kind];
  if (before?.key !== op.key || before.generation !== generation || before.count < LIMIT) return undefined;
  const until = before.at + FORGOTTEN_AFTER_MS;
  return at < until ? until : undefined;
}
