// The last look before a write: is what was decided on still true, past every cache?

import { KubeUnreachable } from '../../kube/api.ts';
import { JournalUnavailable } from '../../kube/journal.ts';
import { fullSpec } from '../../rds/defaults.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import { annotation, orderValue } from '../../rds/object.ts';
import { effectivePolicy } from '../decide/deletion-policy.ts';
import type { Observed } from '../decide/observed.ts';
import type { Claimed } from '../decide/plan.ts';
import type { SyncDeps } from '../deps.ts';

/** Consents are no part of the generation, so they are compared one by one. */
const CONSENTS = [
  ANNOTATIONS.adopt,
  ANNOTATIONS.approve,
  ANNOTATIONS.dryRun,
  ANNOTATIONS.release,
  ANNOTATIONS.forceDelete,
];

/** Why the view that was decided on is not the truth any more; undefined when it is. */
export async function staleAgainstLive(
  deps: SyncDeps,
  o: Observed,
  write: Claimed | { do: 'adopt' | 'letGo' | 'drill' | 'rotate' | 'scale' | 'watch' },
): Promise<string | undefined> {
  const removing = write.do === 'delete' || write.do === 'finalBackup' || write.do === 'letGo';
  const live = await deps.readLive(o.rds, { surroundings: removing }).catch((error: unknown) => {
    if (error instanceof KubeUnreachable) throw new JournalUnavailable(error.message, error);
    throw error;
  });
  const { metadata } = o.rds;
  const now = live.rds;
  if (!now || now.metadata.uid !== metadata.uid) return 'the Rds is gone';
  if (now.metadata.deletionTimestamp !== metadata.deletionTimestamp) return 'the Rds was deleted meanwhile';
  if ((now.metadata.generation ?? 1) !== metadata.generation) return 'the spec was changed meanwhile';
  if (
    write.do === 'restart' &&
    write.annotated !== undefined &&
    orderValue(now, ANNOTATIONS.restart) !== write.annotated
  )
    return 'the order was changed meanwhile';
  const changed = CONSENTS.find((key) => annotation(now, key) !== annotation(o.rds, key));
  if (changed) return `the annotation ${changed} was changed meanwhile`;
  if (!removing) return undefined;
  const liveView = {
    spec: fullSpec(now.spec ?? {}),
    namespaceTerminating: live.namespaceTerminating,
    crdTerminating: live.crdTerminating,
  };
  if (effectivePolicy(liveView) !== effectivePolicy(o)) return 'the deletion policy is another one meanwhile';
  return undefined;
}
