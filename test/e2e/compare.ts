// Two histories of one scenario, side by side: what only one engine did, and what they did in another order.
import { firstSeen, type History } from './history.ts';

export type Difference = {
  scenario: string;
  subject: string;
  line: string;
  /** `order`: both did it, at another place. */
  kind: 'only local' | 'only metacontroller' | 'order';
  /** What the other engine has for this subject. */
  other: readonly string[];
};

function differencesOf(
  scenario: string,
  subject: string,
  local: readonly string[],
  real: readonly string[],
): Difference[] {
  const missing = (from: readonly string[], of: readonly string[], kind: Difference['kind']): Difference[] =>
    of.filter((line) => !from.includes(line)).map((line) => ({ scenario, subject, line, kind, other: from }));
  const found = [...missing(real, local, 'only local'), ...missing(local, real, 'only metacontroller')];
  const shared = local.filter((line) => real.includes(line));
  const order = real.filter((line) => local.includes(line));
  const moved = shared.findIndex((line, index) => line !== order[index]);
  if (moved >= 0) found.push({ scenario, subject, line: shared[moved] ?? '', kind: 'order', other: order });
  return found;
}

export function compareHistories(scenario: string, local: History, real: History): Difference[] {
  const subjects = [...new Set([...Object.keys(local), ...Object.keys(real)])].sort();
  return subjects.flatMap((subject) =>
    differencesOf(scenario, subject, firstSeen(local[subject] ?? []), firstSeen(real[subject] ?? [])),
  );
}
