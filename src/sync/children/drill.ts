// Which children a drill has at the moment. What the journal does not know in this call is repeated as it was seen.

import type { DrillRun } from '../../rds/drill.ts';
import { DRILL_WISH_FILE, type DrillWish, isDrillChild } from '../../rds/drill-wish.ts';
import { ANNOTATIONS, drillName } from '../../rds/names.ts';
import type { ChildObject, Observed } from '../decide/observed.ts';
import { drillJob, drillSecret } from './drill-job.ts';
import { encoded } from './secrets.ts';

/** `again` repeats a child as it was observed. */
export function drillChildren(
  o: Observed,
  again: (child: ChildObject) => ChildObject | undefined,
): ChildObject[] {
  const seen = o.children.filter(isDrillChild);
  const repeated = (children: readonly ChildObject[]) =>
    children.map(again).filter((child) => child !== undefined);
  if (typeof o.journal !== 'object' || 'unavailable' in o.journal) return repeated(seen);
  const run = o.journal.drill?.run;
  if (!run) return [];
  const name = drillName(o.rds.metadata.uid, run.slot);
  const own = seen.filter(({ metadata }) => metadata.name === name);
  const job = own.filter(({ kind }) => kind === 'Job');
  // The password is needed no longer than something may be asked; the Job stays to be read.
  if (run.result) return repeated(job);
  const { namespace } = o.rds.metadata;
  const [secret] = own.filter(({ kind }) => kind === 'Secret');
  if (o.draw().mark === run.draw.mark) return [drillSecret({ name, namespace }, o.draw())];
  if (!secret) return repeated(job);
  const isAskable =
    secret.metadata.annotations?.[ANNOTATIONS.draw] === run.draw.mark && o.jobImage !== undefined;
  const wish = isAskable ? questions(o, run) : undefined;
  const [kept] = repeated([secret]);
  const whole = kept && wish ? { ...kept, data: { ...(secret.data as object), ...wish } } : kept;
  const isWhole = DRILL_WISH_FILE in ((secret.data ?? {}) as object);
  const started =
    job.length === 0 && wish && isWhole ? [drillJob({ name, namespace }, o.jobImage ?? '')] : [];
  return [...(whole ? [whole] : []), ...repeated(job), ...started];
}

/** Address and queries, as soon as the throwaway has been seen to run. */
function questions(o: Observed, run: DrillRun): Record<string, string> | undefined {
  const engine = o.spec.datastoretype;
  const cloud = o.cloud.kind === 'fresh' ? o.cloud : undefined;
  const throwaway = cloud?.throwaways?.find(({ id }) => id === run.id);
  if (engine === 'SQLServer' || run.builtAt === undefined || throwaway?.ip === undefined) return undefined;
  const { database = o.spec.databases?.[0], checks = [] } = o.spec.backup?.drill ?? {};
  const wish: DrillWish = { engine, ...(database === undefined ? {} : { database }), checks };
  return encoded({
    ip: throwaway.ip,
    port: `${throwaway.port}`,
    username: 'root',
    [DRILL_WISH_FILE]: JSON.stringify(wish),
  });
}
