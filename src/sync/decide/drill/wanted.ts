// What is asked for, and whether a drill may run at all.

import { hashHex } from '../../../rds/hash.ts';
import type { Journal } from '../../../rds/journal.ts';
import { ANNOTATIONS } from '../../../rds/names.ts';
import { annotation } from '../../../rds/object.ts';
import type { Observed } from '../observed.ts';
import { wantsRelease } from '../release.ts';

type WantedDrill = NonNullable<NonNullable<Observed['spec']['backup']>['drill']>;

export const wantedDrill = (o: Pick<Observed, 'spec'>): WantedDrill | undefined => o.spec.backup?.drill;

/** Everything but the schedule: an edit of it ends the drill that runs, since that one proves something else. */
export function drillInputs(o: Observed): string {
  const { flavor = '', source = '', database = '', checks = [] } = wantedDrill(o) ?? {};
  return hashHex(JSON.stringify([flavor, source, database, checks]), 8);
}

export const isDryRun = (o: Pick<Observed, 'rds'>): boolean =>
  annotation(o.rds, ANNOTATIONS.dryRun) === 'true';

export const isHeld = (o: Observed): boolean =>
  o.spec.paused === true || isDryRun(o) || o.problems.length > 0 || wantsRelease(o);

/** Why a drill that runs is given up; undefined when it goes on. */
export function givenUp(o: Observed, journal: Journal, inputs: string): string | undefined {
  if (o.rds.metadata.deletionTimestamp !== undefined) return 'The Rds is being deleted.';
  if (journal.letGo || wantsRelease(o)) return 'The instance was let go.';
  if (o.spec.paused) return 'spec.paused is set.';
  if (o.problems.length > 0) return 'The spec has to be corrected first.';
  if (!wantedDrill(o)) return 'spec.backup.drill was taken out.';
  return drillInputs(o) === inputs ? undefined : 'spec.backup.drill was changed.';
}
