// One operation in a quiet world: what was there before, what is done, and where it may be struck.

import type { Strike } from './decisions.ts';
import type { Deed } from './plan.ts';

export type Scenario = {
  name: string;
  /** The DecoratorController of shared Secrets is there, too. */
  shares?: boolean;
  /** So is the CompositeController of backups as objects. */
  backsUp?: boolean;
  /** Answers that stand are given again, and judged. */
  stands?: boolean;
  before: Deed[];
  /** How long that takes, when it is more than a create. */
  prepareMs?: number;
  /** Time after each step of it. */
  gapMs?: number;
  deed: Deed;
  /** What comes while it is under way. */
  next?: { afterMs: number; deed: Deed };
  /** Struck from the deed itself on, not only from what comes next. */
  isStruckAtOnce?: boolean;
  forMs: number;
  /** How far behind the lists are, where that is the story. */
  listLagMs?: number;
  /** Part of the story of this operation, beside what is tried out. */
  always?: Strike[];
  /** Only calls at these sites are struck: what all operations share is struck in the first ones. */
  strikes?: readonly string[];
  /** Which replica answers which call depends on it. */
  seed?: number;
};
