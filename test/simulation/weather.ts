// Bad times: for a while everything is slow or down, instead of one call here and there.

import type { Chance } from './random.ts';

export type WeatherKind =
  | 'cloud is slow'
  | 'cloud is down'
  | 'tenant is down'
  | 'API server is down'
  /** The account gives them to nobody, so that log Jobs get tokens. */
  | 'no temporary keys';

export type Weather = {
  begin(kind: WeatherKind, forMs: number): void;
  is(kind: WeatherKind): boolean;
  /** How long a call of the slow cloud takes. */
  delayMs(name: string): number;
};

export function createWeather(chance: Chance, now: () => number, isOver: () => boolean): Weather {
  const until = new Map<WeatherKind, number>();
  return {
    begin: (kind, forMs) => void until.set(kind, Math.max(until.get(kind) ?? 0, now() + forMs)),
    is: (kind) => !isOver() && now() < (until.get(kind) ?? 0),
    delayMs: (name) => 2_500 + chance.below(name, 6_000),
  };
}
