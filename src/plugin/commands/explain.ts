// `explain`: a reason in words, from the same catalogue that docs/conditions.md is generated from.

import { REASONS, type Reason } from '../../rds/reasons.ts';
import { type Command, json } from '../command.ts';
import { EXIT, Failure } from '../failure.ts';
import { didYouMean } from '../near-names.ts';
import { table, wrapped } from '../screen.ts';

const names = Object.keys(REASONS).sort() as Reason[];

export const explain: Command = {
  name: 'explain',
  summary: 'say what a reason in a condition means and what to do',
  synopsis: '[REASON]',
  text: 'Without a reason: all of them. Needs no cluster.',
  takes: [0, 1],
  completes: 'reason',
  options: {},
  outputs: ['table', 'json'],
  isOffline: true,
  async run({ names: [wanted], output }, world) {
    if (wanted === undefined) {
      const rows = names.map((name) => [name, REASONS[name].means]);
      world.out(output === 'json' ? json(REASONS) : table(['REASON', 'MEANS'], rows, world.paint));
      return 0;
    }
    const found = names.find((name) => name.toLowerCase() === wanted.toLowerCase());
    if (!found)
      throw new Failure(
        EXIT.notFound,
        `There is no reason ${wanted}.`,
        didYouMean(wanted, names, 'All of them: kubectl rds explain'),
      );
    const { means, remedy } = REASONS[found];
    if (output === 'json') world.out(json({ reason: found, means, remedy }));
    else
      world.out(
        `${world.paint('bold', found)}\n  Means  ${wrapped(means, 9)}\n  Do     ${wrapped(remedy, 9)}\n`,
      );
    return 0;
  },
};
