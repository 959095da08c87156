// A known-bad variant of src: exact edits, and the invariants of which one must be seen broken.

import type { Invariant } from './violation.ts';

type Edit = { file: string; search: string; replace: string };
export type PlantedBug = { name: string; edits: Edit[]; breaks: Invariant[] };

export const edit = (file: string, search: string, replace: string): Edit => ({ file, search, replace });
export const plantedBug = (name: string, breaks: Invariant[], ...edits: Edit[]): PlantedBug => ({
  name,
  edits,
  breaks,
});
