// The price list: today's spec codes, and the c2 ones that old manifests still name.
import { ZONES } from '../demo-account.ts';
import { fixedUuid } from '../fixed-id.ts';
import { type EngineFacts, engines } from './engines.ts';
import type { Engine } from './types.ts';

export type Flavor = {
  code: string;
  engine: Engine;
  vcpus: number;
  ramGb: number;
  mode: 'single' | 'ha' | 'replica';
  group: 'normal' | 'general' | 'dedicated';
  versions: readonly string[];
  stock: Record<string, string>;
};

const vcpusBySize: Record<string, number> = {
  medium: 1,
  large: 2,
  xlarge: 4,
  '2xlarge': 8,
  '4xlarge': 16,
  '8xlarge': 32,
  '16xlarge': 64,
  '24xlarge': 96,
};

type Series = {
  name: string;
  group: Flavor['group'];
  sizes: string[];
  ratios: number[];
  hasRatioInCode: boolean;
};

const sizesUpTo = (last: string): string[] => {
  const sizes = Object.keys(vcpusBySize);
  return sizes.slice(0, sizes.indexOf(last) + 1);
};

const allSeries: Series[] = [
  { name: 'n1', group: 'general', sizes: sizesUpTo('2xlarge'), ratios: [2, 4], hasRatioInCode: true },
  {
    name: 'x1',
    group: 'dedicated',
    sizes: sizesUpTo('16xlarge').slice(1),
    ratios: [4, 8],
    hasRatioInCode: true,
  },
  { name: 'c2', group: 'normal', sizes: sizesUpTo('8xlarge'), ratios: [2], hasRatioInCode: false },
];

const modes: [Flavor['mode'], string][] = [
  ['single', ''],
  ['ha', '.ha'],
  ['replica', '.rr'],
];

/** The biggest machines are not to be had everywhere, as in real life. */
function stockOf(vcpus: number): Record<string, string> {
  const [first = '', second = '', third = ''] = ZONES;
  if (vcpus < 64) return { [first]: 'normal', [second]: 'normal', [third]: 'normal' };
  return { [first]: 'normal', [second]: vcpus === 96 ? 'sellout' : 'normal', [third]: 'unsupported' };
}

function flavorsOf(facts: EngineFacts, series: Series): Flavor[] {
  const sizes =
    facts.engine === 'PostgreSQL' && series.name === 'x1' ? [...series.sizes, '24xlarge'] : series.sizes;
  return sizes.flatMap((size) =>
    (size === '24xlarge' ? [8] : series.ratios).flatMap((ratio) =>
      modes.map(([mode, suffix]) => {
        const vcpus = vcpusBySize[size] ?? 1;
        const code = `rds.${facts.codeName}.${series.name}.${size}${series.hasRatioInCode ? `.${ratio}` : ''}${suffix}`;
        const common = { engine: facts.engine, mode, group: series.group, versions: facts.versions };
        return { ...common, code, vcpus, ramGb: vcpus * ratio, stock: stockOf(vcpus) };
      }),
    ),
  );
}

export const flavors: readonly Flavor[] = engines.flatMap((facts) =>
  allSeries.flatMap((series) => flavorsOf(facts, series)),
);

const byCode = new Map(flavors.map((flavor) => [flavor.code, flavor]));

export const findFlavor = (code: string): Flavor | undefined => byCode.get(code);

export const flavorId = (code: string): string => fixedUuid(`flavor ${code}`);
