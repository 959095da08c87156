// How large a disk should become: by steps, as few as will do, and never past the bound.

export type DiskNeed = {
  presentGb: number;
  usedGb: number;
  /** How fast the data grows now. */
  gbPerMs: number;
  thresholdPercent: number;
  stepGb: number;
  maxGb: number;
  /** How long until the next decision could have an effect. */
  leadMs: number;
};

/** The new size, or undefined at the bound. One step, or more where that would be too little before the next one. */
export function grownSize(need: DiskNeed): number | undefined {
  const { presentGb, stepGb, maxGb } = need;
  if (presentGb >= maxGb) return undefined;
  const usedThen = need.usedGb + Math.max(0, need.gbPerMs) * need.leadMs;
  const enoughGb = (usedThen * 100) / need.thresholdPercent;
  const steps = Math.max(1, Math.floor((enoughGb - presentGb) / stepGb) + 1);
  return Math.min(maxGb, presentGb + steps * stepGb);
}
