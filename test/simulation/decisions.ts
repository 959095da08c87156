// Every fault is a decision with a name: the n-th call at a site. A schedule that fails is shrunk by taking decisions
// out; each (site, kind) cell counts how often it fired.

import type { Chance } from './random.ts';

export type Decision = { key: string; site: string; kind: string; at: number; about?: string };

/** Which of the kinds strikes the n-th call at this site. */
export type Choose = (site: string, occurrence: number, kinds: readonly string[]) => string | undefined;

export type Decisions = {
  /** Asked once per call at a site; undefined: nothing happens to it. */
  at(site: string, kinds: readonly string[]): Decision | undefined;
  /** Something that is planned by time and not by call; false when it was taken out of the schedule. */
  allows(key: string, site: string, kind: string, about: string): boolean;
  /** From now on nothing strikes any more. */
  end(): void;
  readonly isOver: boolean;
  readonly fired: readonly Decision[];
  /** How many calls each site saw, for the exhaustive part. */
  readonly calls: ReadonlyMap<string, number>;
};

export type DecisionsOptions = { choose: Choose; without?: ReadonlySet<string>; now: () => number };

export function createDecisions({ choose, without = new Set(), now }: DecisionsOptions): Decisions {
  const calls = new Map<string, number>();
  const fired: Decision[] = [];
  let isOver = false;

  return {
    at(site, kinds) {
      if (isOver) return undefined;
      const occurrence = (calls.get(site) ?? 0) + 1;
      calls.set(site, occurrence);
      const kind = choose(site, occurrence, kinds);
      if (kind === undefined) return undefined;
      const key = `${site}#${occurrence}`;
      if (without.has(key)) return undefined;
      const decision = { key, site, kind, at: now() };
      fired.push(decision);
      return decision;
    },
    allows(key, site, kind, about) {
      if (isOver || without.has(key)) return false;
      fired.push({ key, site, kind, at: now(), about });
      return true;
    },
    end() {
      isOver = true;
    },
    get isOver() {
      return isOver;
    },
    fired,
    calls,
  };
}

/** Builds and backups go wrong more often than a wire would make them. */
const OF_THE_WORLD: ReadonlySet<string> = new Set([
  'failed-build',
  'stuck-build',
  'failed-backup',
  'stuck-backup',
]);

/** Sites of which a schedule sees few calls strike more often. */
export function chooseByChance(chance: Chance, rateOf: (site: string) => number): Choose {
  return (site, occurrence, kinds) => {
    const key = `${site}#${occurrence}`;
    if (chance.of(key) >= rateOf(site)) return undefined;
    const ofTheWorld = kinds.filter((kind) => OF_THE_WORLD.has(kind));
    const isSpecial = ofTheWorld.length > 0 && chance.of(`${key} special`) < 0.25;
    return chance.pick(`${key} kind`, isSpecial ? ofTheWorld : kinds);
  };
}

export type Strike = { site: string; occurrence: number; kind: string };

export function chooseExactly(strikes: readonly Strike[]): Choose {
  return (site, occurrence) =>
    strikes.find((strike) => strike.site === site && strike.occurrence === occurrence)?.kind;
}

export const chooseNothing: Choose = () => undefined;
