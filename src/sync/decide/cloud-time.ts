// The cloud's clock as far as this look knows it, else ours: what began by the one must not end by the other, since a clock
// of ours may be an hour off.

import type { Observed } from './observed.ts';

export function cloudTime({ cloud, nowMs }: Pick<Observed, 'cloud' | 'nowMs'>): number {
  const told = cloud.kind === 'fresh' || cloud.kind === 'glance' ? cloud.at : undefined;
  return told ?? nowMs;
}
