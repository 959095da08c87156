import t from 'tap';
import type { Order } from './lives.ts';
import { planChaos } from './plan.ts';

const options = { seed: 7, rds: 24, seconds: 60, replicas: 2 };
const { lives, hands } = planChaos(options);

t.test('the seed decides everything', async (t) => {
  t.same(planChaos(options), { lives, hands });
  t.notSame(planChaos({ ...options, seed: 8 }), { lives, hands });
});

t.test('the first deck of each hand strikes in every way', async (t) => {
  const blows = hands
    .flatMap((attacks) => attacks.slice(0, 11))
    .flatMap(({ blow, next = [] }) => [blow, ...next]);
  const kinds = blows.map((blow) =>
    'target' in blow ? `${blow.do} ${blow.target.replace(/-\d$/, '')}` : blow.do,
  );
  for (const kind of [
    'kill hook',
    'pause hook',
    'kill simulator',
    'kill loop',
    'kill etcd',
    'stop etcd',
    'kill kube-apiserver',
    'kill kube-controller-manager',
    'cut',
    'fault',
  ])
    t.ok(kinds.includes(kind), kind);
});

t.test('a life is created first, ordered in time, and only grows', async (t) => {
  const isAfter = (orders: Order[], index: number): boolean =>
    index === 0 || (orders[index - 1]?.atMs ?? 0) <= (orders[index]?.atMs ?? 0);
  for (const { name, orders } of lives) {
    t.equal(orders[0]?.do, 'create', name);
    t.ok(
      orders.every((_, index) => isAfter(orders, index)),
      `${name}: in time`,
    );
    const sizes = orders.flatMap((order) => (order.do === 'grow' ? [order.volumesize] : []));
    t.same(
      sizes,
      sizes.toSorted((a, b) => a - b),
      `${name}: a disk cannot shrink`,
    );
  }
  const said = lives.map(({ orders }) => orders.map((order) => order.do).join(' '));
  t.equal(said.filter((orders) => orders.includes('delete')).length, 6);
  t.equal(said.filter((orders) => orders.endsWith('delete create')).length, 2);
  t.ok(['grow', 'flavor', 'restart'].every((change) => said.some((orders) => orders.includes(change))));
});
