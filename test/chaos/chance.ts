// A number from a span, on the stateless chance of the simulation.
import type { Chance } from '../simulation/random.ts';

export const between = (chance: Chance, name: string, from: number, to: number): number =>
  Math.round(from + chance.of(name) * (to - from));
