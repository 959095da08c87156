// `approve`: consent to exactly the plan that was shown. A plan that changes meanwhile has another hash.

import { ANNOTATIONS } from '../../rds/names.ts';
import { type Command, json, YES } from '../command.ts';
import { EXIT, Failure } from '../failure.ts';
import { planTable } from '../plan-table.ts';
import { rdsView } from '../rds-view.ts';

export const approve: Command = {
  name: 'approve',
  summary: 'show the plan, ask, and let what waits run now',
  synopsis: 'NAME [--yes]',
  text: 'Sets the annotation otc.mcsps.de/approve to the hash of the plan that was shown. If the plan changes before the operator reads it, the consent does not fit and nothing is done.',
  takes: [1, 1],
  completes: 'rds',
  options: { yes: YES },
  outputs: ['table', 'json'],
  async run({ names: [name = ''], flags, output }, world) {
    const cluster = await world.connect();
    const rds = await cluster.rds(name);
    const { plan, planHash, namespace } = rdsView(rds);
    if (plan.length === 0 || planHash === undefined)
      throw new Failure(
        EXIT.failed,
        `Nothing of ${namespace}/${name} waits for consent.`,
        `See: kubectl rds plan ${name}`,
      );
    if (output !== 'json') world.out(planTable(plan, world.paint));
    if (flags.yes !== true && !(await world.confirm(`Run plan ${planHash} of ${namespace}/${name} now?`))) {
      world.tell('Nothing was approved.');
      return EXIT.failed;
    }
    await cluster.annotate(rds, { [ANNOTATIONS.approve]: planHash });
    if (output === 'json') world.out(json({ namespace, name, approved: planHash }));
    else world.out(`Plan ${planHash} is approved. Watch: kubectl rds status ${name}\n`);
    return 0;
  },
};
