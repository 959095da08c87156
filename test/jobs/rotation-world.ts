// A database whose users are made, in a world in which an hour of the spec lasts a minute.

import type { RdsSpec } from '../../src/rds/spec.ts';
import type { SqlReport } from '../../src/rds/sql-wish.ts';
import { MINUTE, SECOND, type WorldOptions } from '../support/world.ts';
import { createJobWorld, type JobWorld } from './job-world.ts';

export const HOUR = MINUTE;
export const TIMING = { settleMs: 300 * SECOND, absenceGapMs: 30 * SECOND, hourMs: HOUR };

type Test = Parameters<typeof createJobWorld>[0];

type Options = Pick<WorldOptions, 'logTo'> & {
  /** Who carries out the first Job, with its files. */
  firstJob?: (files: Record<string, string>, world: JobWorld) => Promise<Partial<SqlReport>>;
};

export async function rotationWorld(t: Test, spec: RdsSpec, { firstJob, ...options }: Options = {}) {
  const world = await createJobWorld(t, {}, { timing: TIMING, ...options });
  await world.apply('shop', spec);
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  const job = await world.onlyJob();
  await world.ends(job, await firstJob?.(await world.secretValues(job.metadata.name), world));
  await world.clock.advance(10 * SECOND);
  const more = {
    login: async (account: string) =>
      (await world.status('shop')).logins?.find(({ user }) => user === account),
    /** One rotation, up to its overlap. */
    async turn(hours = 48): Promise<void> {
      await world.clock.advance(hours * HOUR + 2 * MINUTE);
      await world.ends(await world.onlyJob());
      await world.clock.advance(MINUTE);
    },
  };
  return Object.assign(world, more);
}
