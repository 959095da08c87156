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

/** The coarse state that a line stands for; order is a matter of these, not of each word. */
export function stageOf(subject: string, line: string): string | undefined {
  if (subject.startsWith('Rds ')) return line.split(' id=', 1)[0];
  if (!subject.startsWith('calls ')) return line;
  const [hook] = line.split(' ', 1);
  const answered = / -> 200 ([A-Za-z-]+)\//.exec(line)?.[1];
  return answered === undefined ? undefined : `${hook} ${answered}`;
}

const stagesOf = (subject: string, lines: readonly string[]): string[] =>
  firstSeen(lines.map((line) => stageOf(subject, line)).filter((stage) => stage !== undefined));

function differencesOf(
  scenario: string,
  subject: string,
  local: readonly string[],
  real: readonly string[],
): Difference[] {
  const missing = (from: readonly string[], of: readonly string[], kind: Difference['kind']): Difference[] =>
    of.filter((line) => !from.includes(line)).map((line) => ({ scenario, subject, line, kind, other: from }));
  const found = [...missing(real, local, 'only local'), ...missing(local, real, 'only metacontroller')];
  const [ours, theirs] = [stagesOf(subject, local), stagesOf(subject, real)];
  const shared = ours.filter((stage) => theirs.includes(stage));
  const order = theirs.filter((stage) => ours.includes(stage));
  const moved = shared.findIndex((stage, index) => stage !== order[index]);
  if (moved >= 0) found.push({ scenario, subject, line: shared[moved] ?? '', kind: 'order', other: order });
  return found;
}

export function compareHistories(scenario: string, local: History, real: History): Difference[] {
  const subjects = [...new Set([...Object.keys(local), ...Object.keys(real)])].sort();
  return subjects.flatMap((subject) =>
    differencesOf(scenario, subject, firstSeen(local[subject] ?? []), firstSeen(real[subject] ?? [])),
  );
}
