// One Rds from create to gone on a virtual clock, and what it cost the cloud's API, call by call.

import { createWorld, MINUTE } from '../../test/support/world.ts';
import { NO_TIME } from './no-time.ts';
import { difference, flat } from './rested-hook.ts';

export type Step = { route: string; calls: number; least: number; because: string };

/**
 * What nobody could do without: the cloud has no client token, so a create needs a look before it; no push, so an end
 * must be seen; and a list that lags, so absence must be seen three times.
 */
const LEAST: Record<string, { least: number; because: string }> = {
  'iam POST /v3/auth/tokens': { least: 1, because: 'one login' },
  'vpc GET /v1/{project}/vpcs': { least: 1, because: 'name to id' },
  'vpc GET /v1/{project}/subnets': { least: 1, because: 'name to id' },
  'vpc GET /v2.0/security-groups': { least: 1, because: 'name to id' },
  'rds GET /v3/{project}/flavors/{db}': { least: 1, because: 'is the flavor for sale' },
  'rds GET /v3/{project}/quotas': { least: 0, because: 'a quota that is used up is told before the create' },
  'rds POST /v3/{project}/instances': { least: 1, because: 'the create' },
  'rds GET /v3/{project}/instances': {
    least: 7,
    because: 'absent before the create, built after it, seen before backup and delete, gone three times',
  },
  'rds POST /v3/{project}/instances/{id}/tags/action': { least: 1, because: 'whose it is' },
  'rds POST /v3/{project}/backups': { least: 1, because: 'the final backup' },
  'rds GET /v3/{project}/backups': { least: 1, because: 'the backup is complete' },
  'rds DELETE /v3/{project}/instances/{id}': { least: 1, because: 'the delete' },
};

/** `instant`: a cloud whose operations take no time, so that nobody has to wait and look again. */
export async function lifeCost({ instant }: { instant: boolean }): Promise<Step[]> {
  const durations = instant ? { durations: NO_TIME } : {};
  const world = await createWorld({ simulator: { automatedBackups: false, ...durations } });
  try {
    const before = flat(world.simulator.calls());
    await world.apply('shop', { flavorref: 'rds.mysql.n1.large.2', volumetype: 'CLOUDSSD', volumesize: 40 });
    if (!(await world.reaches('shop', 'Ready'))) throw new Error('the Rds is not ready');
    await world.clock.advance(MINUTE);
    await world.remove('shop');
    if (!(await world.isGone('shop'))) throw new Error('the Rds is not gone');
    const calls = difference(flat(world.simulator.calls()), before);
    return Object.entries(calls).map(([route, count]) => ({
      route,
      calls: count,
      ...(LEAST[route] ?? { least: 0, because: 'not needed' }),
    }));
  } finally {
    await world.stop();
  }
}
