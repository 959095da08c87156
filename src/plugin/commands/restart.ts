// `restart`: one restart, ordered by a value that was never used before, and watched until the database is back.

import { isoTime } from '../../rds/conditions.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import { type Command, json, NO_WAIT, TIMEOUT, YES } from '../command.ts';
import { EXIT } from '../failure.ts';
import { conditionOf } from '../rds-view.ts';
import { timeoutOf, waitFor } from '../wait.ts';

const PATIENCE_MS = 15 * 60_000;

export const restart: Command = {
  name: 'restart',
  summary: 'restart a database and wait until it is back',
  synopsis: 'NAME [--yes] [--no-wait]',
  text: 'Cuts every connection. The order is carried out once; with an operation under way it waits for its end.',
  takes: [1, 1],
  completes: 'rds',
  options: { yes: YES, 'no-wait': NO_WAIT, timeout: TIMEOUT },
  outputs: ['table', 'json'],
  async run({ names: [name = ''], flags, output }, world) {
    const cluster = await world.connect();
    const rds = await cluster.rds(name);
    const { namespace } = rds.metadata;
    const timeoutMs = timeoutOf(flags.timeout, PATIENCE_MS);
    if (
      flags.yes !== true &&
      !(await world.confirm(`Restart ${namespace}/${name}? Every connection is cut.`))
    ) {
      world.tell('Nothing was restarted.');
      return EXIT.failed;
    }
    const order = isoTime(world.clock.now());
    await cluster.annotate(rds, { [ANNOTATIONS.restart]: order });
    if (flags['no-wait'] !== true) {
      await waitFor(world, {
        what: `${namespace}/${name} after its restart`,
        timeoutMs,
        read: () => cluster.rds(name),
        isOver: ({ status = {} }) =>
          status.handled?.[ANNOTATIONS.restart] === order &&
          status.operation === undefined &&
          status.phase === 'Ready' &&
          conditionOf(status, 'Ready')?.status === 'True',
        describe: ({ status = {} }) => {
          const going = conditionOf(status, 'Progressing');
          return going?.status === 'True' ? going.message : undefined;
        },
      });
    }
    const done =
      flags['no-wait'] === true
        ? 'The restart is ordered'
        : `${namespace}/${name} was restarted and is Ready`;
    world.out(output === 'json' ? json({ namespace, name, order }) : `${done}.\n`);
    return 0;
  },
};
