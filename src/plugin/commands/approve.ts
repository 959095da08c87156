// `approve`: consent to exactly the plan that was shown. A plan that changes meanwhile has another hash, and is told.

import { ANNOTATIONS } from '../../rds/names.ts';
import type { PlannedChange } from '../../rds/status.ts';
import { type Command, json, NO_WAIT, TIMEOUT, YES } from '../command.ts';
import { EXIT, Failure } from '../failure.ts';
import { planTable } from '../plan-table.ts';
import { rdsView } from '../rds-view.ts';
import { timeoutOf, waitFor } from '../wait.ts';

const PATIENCE_MS = 2 * 60_000;

/** The operator's own words for a change that runs with consent only, or later. */
const waits = ({ when }: PlannedChange): boolean => when.includes(ANNOTATIONS.approve);

export const approve: Command = {
  name: 'approve',
  summary: 'show the plan, ask, and let what waits run now',
  synopsis: 'NAME [--yes] [--no-wait]',
  text: 'Sets the annotation otc.mcsps.de/approve to the hash of the plan that was shown, and waits until the operator begins. If the plan changes before, the consent does not fit: nothing is done, and the command says so.',
  takes: [1, 1],
  completes: 'rds',
  options: { yes: YES, 'no-wait': NO_WAIT, timeout: TIMEOUT },
  outputs: ['table', 'json'],
  async run({ names: [name = ''], flags, output }, world) {
    const timeoutMs = timeoutOf(flags.timeout, PATIENCE_MS);
    const cluster = await world.connect();
    const rds = await cluster.rds(name);
    const { plan, planHash, namespace } = rdsView(rds);
    const again = `See: kubectl rds plan ${name} -n ${namespace}`;
    if (planHash === undefined || !plan.some(waits))
      throw new Failure(EXIT.failed, `Nothing of ${namespace}/${name} waits for consent.`, again);
    if (output !== 'json') world.out(planTable(plan, world.paint));
    if (flags.yes !== true && !(await world.confirm(`Run plan ${planHash} of ${namespace}/${name} now?`))) {
      world.tell('Nothing was approved.');
      return EXIT.failed;
    }
    await cluster.annotate(rds, { [ANNOTATIONS.approve]: planHash });
    if (flags['no-wait'] !== true) {
      const seen = await waitFor(world, {
        what: `The begin of plan ${planHash}`,
        timeoutMs,
        read: async () => rdsView(await cluster.rds(name)),
        isOver: (view) => !view.plan.some(waits) || view.planHash !== planHash,
        describe: () => undefined,
      });
      if (seen.plan.some(waits))
        throw new Failure(
          EXIT.failed,
          `The plan is another one meanwhile (${seen.planHash}): what waits was not approved.`,
          again,
        );
    }
    const word = flags['no-wait'] === true ? 'is approved' : 'is approved and runs';
    if (output === 'json') world.out(json({ namespace, name, approved: planHash }));
    else world.out(`Plan ${planHash} ${word}. Watch: kubectl rds status ${name} -n ${namespace}\n`);
    return 0;
  },
};
