// The table of everything that can go wrong, and how often each cell fired.

import type { Decision } from './decisions.ts';
import { HOOK_SITES } from './hook-call.ts';
import { KUBE_SITES } from './kube-sites.ts';
import { OTC_SITES } from './otc-sites.ts';
import { PLAN_SITES } from './plan.ts';
import { POD_SITES } from './pods.ts';
import { WATCH_SITES } from './world.ts';

/** Faults of the wires and of pods: every one of them is also struck by the exhaustive part. */
export const WIRE_SITES: Record<string, readonly string[]> = {
  ...OTC_SITES,
  ...KUBE_SITES,
  ...HOOK_SITES,
  ...POD_SITES,
};
/** Deeds that only aimed scenarios have (exhaustive.test.ts); random schedules leave them out. */
const AIMED_ONLY: ReadonlySet<string> = new Set(['foreign backup', 'instance breaks']);

/** What only random schedules meet. */
export const PLANNED_SITES: Record<string, readonly string[]> = {
  ...WATCH_SITES,
  ...PLAN_SITES,
  hand: PLAN_SITES.hand.filter((deed) => !AIMED_ONLY.has(deed)),
};
const ALL_SITES: Record<string, readonly string[]> = { ...WIRE_SITES, ...WATCH_SITES, ...PLAN_SITES };

export type Cells = Map<string, number>;

const cellOf = (site: string, kind: string): string => `${site} / ${kind}`;

export function countCells(cells: Cells, fired: readonly Decision[]): void {
  for (const { site, kind } of fired) cells.set(cellOf(site, kind), (cells.get(cellOf(site, kind)) ?? 0) + 1);
}

export function addCells(cells: Cells, more: Iterable<[string, number]>): void {
  for (const [cell, count] of more) cells.set(cell, (cells.get(cell) ?? 0) + count);
}

export function cellsOf(sites: Record<string, readonly string[]>): string[] {
  return Object.entries(sites).flatMap(([site, kinds]) => kinds.map((kind) => cellOf(site, kind)));
}

export function silentCells(cells: Cells, sites: Record<string, readonly string[]> = ALL_SITES): string[] {
  return cellsOf(sites).filter((cell) => !cells.has(cell));
}

export function tellCells(cells: Cells): string {
  const all = cellsOf(ALL_SITES);
  const silent = silentCells(cells);
  const counts = all.flatMap((cell) => cells.get(cell) ?? []).sort((a, b) => a - b);
  return [
    `${all.length - silent.length} of ${all.length} (call site, fault) cells fired, ${counts.reduce((sum, one) => sum + one, 0)} times in all, the rarest ${counts[0] ?? 0} times`,
    ...(silent.length > 0 && silent.length <= 40 ? [`never fired: ${silent.join(', ')}`] : []),
  ].join('\n');
}
