import t from 'tap';
import type { Flavor, Instance } from '../../../../src/otc/cloud.ts';
import { flavors as priceList } from '../../../../src/simulator/rds/flavors.ts';
import { largerFlavor, sizeOf, smallerFlavor } from '../../../../src/sync/decide/autopilot/machine.ts';

const ALL: Flavor[] = priceList
  .filter(({ engine }) => engine === 'MySQL')
  .map(({ code, vcpus, ramGb, versions, mode, stock }) => ({
    code,
    vcpus,
    ramGb,
    versions: [...versions],
    mode,
    stock: { ...stock },
  }));

const instance = (flavor: string, zones = ['eu-de-01']): Instance =>
  ({
    flavor,
    type: flavor.endsWith('.ha') ? 'Ha' : flavor.endsWith('.rr') ? 'Replica' : 'Single',
    nodes: zones.map((availabilityZone) => ({ availabilityZone })),
  }) as Instance;

const soldOut = (code: string, zone: string): Flavor[] =>
  ALL.map((one) => (one.code === code ? { ...one, stock: { ...one.stock, [zone]: 'sellout' } } : one));

type Up = {
  from: string;
  meter: 'cpu' | 'memory';
  max?: string;
  zones?: string[];
  flavors?: Flavor[];
  replicas?: Instance[];
  want: string | undefined;
  because: string;
};

const UP: Up[] = [
  { from: 'rds.mysql.n1.large.2', meter: 'cpu', want: 'rds.mysql.n1.xlarge.2', because: 'twice the cores' },
  {
    from: 'rds.mysql.n1.large.2',
    meter: 'memory',
    want: 'rds.mysql.n1.large.4',
    because: 'as many cores, more memory',
  },
  {
    from: 'rds.mysql.n1.large.4',
    meter: 'cpu',
    want: 'rds.mysql.n1.xlarge.2',
    because: 'more cores, and no less memory than now',
  },
  { from: 'rds.mysql.c2.large', meter: 'cpu', want: 'rds.mysql.c2.xlarge', because: 'the series stays' },
  {
    from: 'rds.mysql.n1.xlarge.2',
    meter: 'cpu',
    want: 'rds.mysql.n1.2xlarge.2',
    because: '8 is more than 4, also as a number',
  },
  {
    from: 'rds.mysql.x1.8xlarge.4',
    meter: 'cpu',
    want: 'rds.mysql.x1.16xlarge.4',
    because: '64 is more than 32',
  },
  { from: 'rds.mysql.n1.2xlarge.4', meter: 'cpu', want: undefined, because: 'the largest of its series' },
  {
    from: 'rds.mysql.n1.large.2.ha',
    meter: 'cpu',
    want: 'rds.mysql.n1.xlarge.2.ha',
    because: 'the mode stays',
  },
  {
    from: 'rds.mysql.n1.large.2',
    meter: 'cpu',
    max: 'rds.mysql.n1.large.4',
    want: undefined,
    because: 'the bound has no more cores',
  },
  {
    from: 'rds.mysql.n1.large.2.ha',
    meter: 'cpu',
    max: 'rds.mysql.n1.xlarge.2',
    want: 'rds.mysql.n1.xlarge.2.ha',
    because: 'a bound may be written without the mode',
  },
  {
    from: 'rds.mysql.n1.large.2',
    meter: 'cpu',
    flavors: soldOut('rds.mysql.n1.xlarge.2', 'eu-de-01'),
    want: 'rds.mysql.n1.xlarge.4',
    because: 'sold out: the next one',
  },
  {
    from: 'rds.mysql.n1.large.2.ha',
    meter: 'cpu',
    zones: ['eu-de-01', 'eu-de-02'],
    flavors: soldOut('rds.mysql.n1.xlarge.2.ha', 'eu-de-02'),
    want: 'rds.mysql.n1.xlarge.4.ha',
    because: 'it must be in stock in both zones',
  },
  {
    from: 'rds.mysql.n1.large.2',
    meter: 'cpu',
    flavors: soldOut('rds.mysql.n1.xlarge.2.rr', 'eu-de-03'),
    replicas: [instance('rds.mysql.n1.large.2.rr', ['eu-de-03'])],
    want: 'rds.mysql.n1.xlarge.4',
    because: 'and its replica must be able to follow',
  },
  {
    from: 'rds.mysql.unknown',
    meter: 'cpu',
    want: undefined,
    because: 'a machine that the list does not know',
  },
];

for (const { from, meter, max, zones, flavors = ALL, replicas = [], want, because } of UP)
  t.test(`up: ${because}`, async (t) => {
    const fleet = { instance: instance(from, zones), flavors, replicas };
    t.equal(largerFlavor(fleet, meter, max === undefined ? undefined : sizeOf(ALL, max))?.code, want);
  });

const DOWN: { from: string; min: string; want: string | undefined; because: string }[] = [
  {
    from: 'rds.mysql.n1.xlarge.2',
    min: 'rds.mysql.n1.medium.2',
    want: 'rds.mysql.n1.large.2',
    because: 'of the same proportions',
  },
  {
    from: 'rds.mysql.n1.large.4',
    min: 'rds.mysql.n1.large.2',
    want: 'rds.mysql.n1.large.2',
    because: 'only memory may go',
  },
  { from: 'rds.mysql.n1.large.2', min: 'rds.mysql.n1.large.2', want: undefined, because: 'at the bound' },
  {
    from: 'rds.mysql.n1.medium.2',
    min: 'rds.mysql.n1.large.2',
    want: undefined,
    because: 'below the bound already',
  },
  {
    from: 'rds.mysql.n1.xlarge.2.ha',
    min: 'rds.mysql.n1.large.2',
    want: 'rds.mysql.n1.large.2.ha',
    because: 'the mode stays',
  },
];

for (const { from, min, want, because } of DOWN)
  t.test(`down: ${because}`, async (t) => {
    const size = sizeOf(ALL, min);
    t.ok(size);
    if (size)
      t.equal(smallerFlavor({ instance: instance(from), flavors: ALL, replicas: [] }, size)?.code, want);
  });
