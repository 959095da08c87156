// `plan`: what the operator will change, with its impact, and whether it waits for consent.

import { type Command, json } from '../command.ts';
import { planTable } from '../plan-table.ts';
import { rdsView } from '../rds-view.ts';

export const plan: Command = {
  name: 'plan',
  summary: 'show what will change, what clients notice of it, and when',
  synopsis: 'NAME',
  text: 'The differences between the spec and the database, each with its impact. To see a plan without anything being done, set the annotation otc.mcsps.de/dry-run: "true" before you edit the spec.',
  takes: [1, 1],
  completes: 'rds',
  options: {},
  outputs: ['table', 'json'],
  async run({ names: [name = ''], output }, world) {
    const cluster = await world.connect();
    const view = rdsView(await cluster.rds(name));
    const { plan, planHash } = view;
    if (output === 'json') {
      world.out(json({ namespace: view.namespace, name, planHash, plan }));
    } else if (plan.length === 0) {
      world.out(`Nothing is planned: ${view.namespace}/${name} is as its spec says.\n`);
    } else {
      world.out(planTable(plan, world.paint));
      if (planHash !== undefined)
        world.tell(`Run what waits now: kubectl rds approve ${name}  (plan ${planHash})`);
    }
    return 0;
  },
};
