// What people order and what goes wrong when, all from one seed: the same seed gives the same plan. What the
// processes make of it is theirs.
import { createChance } from '../simulation/random.ts';
import { type Attack, handsOf } from './attacks.ts';
import { type Life, lifeOf } from './lives.ts';

export type ChaosOptions = { seed: number; rds: number; seconds: number; replicas: number };

export type Plan = { lives: Life[]; hands: Attack[][] };

export function planChaos({ seed, rds, seconds, replicas }: ChaosOptions): Plan {
  const chance = createChance(seed);
  return {
    lives: Array.from({ length: rds }, (_, index) => lifeOf(chance, index, seconds * 1000)),
    hands: handsOf(chance, seconds, replicas),
  };
}
