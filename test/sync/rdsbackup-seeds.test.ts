import t from 'tap';
import { chanceOf, live, startTroubled } from '../support/backup-fates.ts';
import { backupStatus, withShop } from '../support/backups.ts';

t.setTimeout(1_800_000);

const SEEDS = Number(process.env.BACKUP_SEEDS ?? 12);
const FIRST = Number(process.env.BACKUP_FIRST_SEED ?? 1);

t.test(
  `whatever happens: one backup at most, none left, none lost (seeds ${FIRST} to ${FIRST + SEEDS - 1})`,
  async (t) => {
    const world = await withShop(t);
    await world.stop();
    let made = 0;
    let removed = 0;
    for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
      const chance = chanceOf(seed);
      const replicas = await Promise.all([startTroubled(world, chance), startTroubled(world, chance)]);
      const fate = await live(world, replicas, chance, `seed-${seed}`);
      await Promise.all(replicas.map((replica) => replica.close()));
      const isOurs = ({ name }: { name: string }) => name.startsWith(`team-a_${fate.name}_`);
      const events = world.simulator.state.events.filter(isOurs);
      const ever = events.filter(({ kind }) => kind === 'backup').length;
      const now = world.simulator.state.backups.filter(isOurs);
      made += ever;
      removed += ever - now.length;
      const about = `seed ${seed}: ${JSON.stringify(fate)}`;
      t.ok(ever <= 1, `${about}: ${ever} backups were made`);
      if (!fate.isDeleted || fate.policy === 'Retain') t.equal(now.length, ever, `${about}: nothing is lost`);
      else t.equal(now.length, 0, `${about}: nothing is left behind`);
      t.equal(fate.isGone, fate.isDeleted, `${about}: it ends as it was told to`);
      if (!fate.isGone) t.equal((await backupStatus(world, fate.name)).id, now[0]?.id, about);
    }
    t.comment(`${made} made, ${removed} removed`);
    t.ok(made > SEEDS / 3 && removed > 0, 'and the seeds really get there');
  },
);
