// What one measurement hands back: lines of the table, and curves for the plots.

import type { Spread } from './statistics.ts';

export type Line = {
  what: string;
  value: string;
  /** Quartiles over the repeats. */
  spread?: string;
  /** In words, with its number. */
  target?: string;
  isMet?: boolean;
};

export type Plot = {
  /** File name without ending. */
  name: string;
  title: string;
  x: string;
  y: string;
  logX?: boolean;
  series: { name: string; points: { x: number; y: number }[] }[];
  /** A horizontal line. */
  limit?: { y: number; name: string };
};

/** Drawn already. */
export type Picture = { name: string; title: string; svg: string };

export type Figure = {
  title: string;
  lines: Line[];
  plots: Plot[];
  pictures?: Picture[];
  notes: string[];
};

export type Setting = {
  /** `tiny` only shows that the code runs. */
  scale: 'tiny' | 'quick' | 'full';
  /** For files that the measured programs read; removed at the end. */
  folder: string;
};

export const digits = (value: number, places = 2): string => value.toFixed(places);

export const spreadText = ({ low, high }: Spread, places = 2): string =>
  `${digits(low, places)} to ${digits(high, places)}`;
