// What people want of their databases during a run.
import type { Chance } from '../simulation/random.ts';
import { between } from './chance.ts';

export type Spec = { volumesize: number; flavorref: string; [field: string]: unknown };

export type Order = { atMs: number } & (
  | { do: 'create'; spec: Spec }
  | { do: 'grow'; volumesize: number }
  | { do: 'flavor'; flavorref: string }
  | { do: 'restart'; value: string }
  | { do: 'delete' }
);

/** All orders for the Rds of one name. A second create follows when the first Rds is gone. */
export type Life = { name: string; orders: Order[] };

const SIZES = ['large.2', 'xlarge.2', 'large.4', 'xlarge.4'];

function specOf(chance: Chance, name: string, index: number): Spec {
  const isPostgres = index % 5 === 4;
  return {
    flavorref: `rds.${isPostgres ? 'pg' : 'mysql'}.n1.${chance.pick(`${name} size`, SIZES)}`,
    volumetype: 'CLOUDSSD',
    volumesize: 40 + 10 * chance.below(`${name} volume`, 5),
    ...(isPostgres && { datastoretype: 'PostgreSQL', datastoreversion: '16', port: '5432' }),
  };
}

/** Half come at once, as from a pipeline; every fourth is deleted, and a third of those is made again. */
export function lifeOf(chance: Chance, index: number, endMs: number): Life {
  const name = `db-${String(index + 1).padStart(3, '0')}`;
  const born =
    index % 2 === 0
      ? between(chance, `${name} born`, 0, 3_000)
      : between(chance, `${name} born`, 0, endMs * 0.6);
  const spec = specOf(chance, name, index);
  const isDeleted = index % 4 === 3;
  const diesMs = between(chance, `${name} dies`, born + 0.3 * (endMs - born), 0.95 * endMs);
  const changes = changesOf(chance, name, index, spec, { from: born + 500, to: isDeleted ? diesMs : endMs });
  const orders: Order[] = [{ atMs: born, do: 'create', spec }, ...changes];
  if (isDeleted) orders.push({ atMs: diesMs, do: 'delete' });
  if (index % 12 === 11)
    orders.push({ atMs: diesMs, do: 'create', spec: specOf(chance, `${name} again`, index) });
  return { name, orders };
}

function changesOf(
  chance: Chance,
  name: string,
  index: number,
  spec: Spec,
  { from, to }: { from: number; to: number },
): Order[] {
  const count = 1 + chance.below(`${name} changes`, 4);
  const times = Array.from({ length: count }, (_, turn) =>
    between(chance, `${name} at ${turn}`, from, to),
  ).sort((a, b) => a - b);
  let { volumesize, flavorref } = spec;
  return times.map((atMs, turn): Order => {
    const kind = turn === 0 ? index % 3 : chance.below(`${name} kind ${turn}`, 3);
    if (kind === 0) {
      volumesize += 10 * (1 + chance.below(`${name} grow ${turn}`, 5));
      return { atMs, do: 'grow', volumesize };
    }
    if (kind === 1) {
      const others = SIZES.filter((size) => !flavorref.endsWith(size));
      flavorref = flavorref.replace(/[^.]+\.\d$/, chance.pick(`${name} flavor ${turn}`, others));
      return { atMs, do: 'flavor', flavorref };
    }
    return { atMs, do: 'restart', value: `order-${turn + 1}` };
  });
}
