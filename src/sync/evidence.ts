// The trail of a database whose namespace goes away with everything that told about it.

import type { Evidence } from '../kube/evidence.ts';
import { ANNOTATIONS } from '../rds/names.ts';
import type { RdsStatus } from '../rds/status.ts';
import type { Observed } from './decide/observed.ts';
import { readJournal } from './decide/remembered.ts';

export function evidenceOf(o: Observed, { backup }: RdsStatus): Evidence | undefined {
  const id = readJournal(o)?.id;
  if (!o.namespaceTerminating || id === undefined) return undefined;
  const { namespace, name, uid } = o.rds.metadata;
  const rds = { namespace, name, uid };
  const isThere = o.cloud.kind !== 'fresh' || o.cloud.instance?.id === id;
  const saved = backup?.finalBackup;
  const facts: Record<string, string> = {
    instanceId: id,
    ...(saved?.restoreFrom ? { backupId: saved.id, restoreFrom: saved.restoreFrom } : {}),
    ...(isThere ? { adopt: `${ANNOTATIONS.adopt}: ${id}` } : {}),
  };
  const message = isThere
    ? `Instance ${id} stays in the cloud. To manage it again, apply the Rds with the annotation ${ANNOTATIONS.adopt}: ${id}.`
    : `Instance ${id} was deleted${saved?.restoreFrom ? `; its last backup is kept, to be had with spec.restoreFrom: ${saved.restoreFrom}` : ''}.`;
  return { rds, message, facts };
}
