// Closed journals stay for a day, because a call from the past may still come; then they are swept, but only
// when the API server says that their Rds or RdsBackup is gone.

import { API_VERSION } from '../rds/crd.ts';
import type { Journal } from '../rds/journal.ts';
import { ANNOTATIONS, journalName } from '../rds/names.ts';
import { type KubeCall, type KubeObject, listObjects } from './api.ts';
import { JOURNAL_LABEL } from './journal.ts';

const KEEP_CLOSED_MS = 24 * 3_600_000;
const DEADLINE_MS = 10_000;

export async function sweepJournals(call: KubeCall, namespace: string, nowMs: number): Promise<number> {
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const closed = (await listObjects(call, `${leases}?labelSelector=${JOURNAL_LABEL}%3Djournal`)).filter(
    (lease) => {
      const at = journalOf(lease)?.closed?.at;
      return at !== undefined && nowMs - at > KEEP_CLOSED_MS;
    },
  );
  if (closed.length === 0) return 0;
  const living = new Set<string>();
  for (const plural of ['rdss', 'rdsbackups'])
    for (const { metadata } of await listObjects(call, `/apis/${API_VERSION}/${plural}`))
      living.add(journalName(metadata.uid ?? ''));
  const over = closed.filter(({ metadata }) => !living.has(metadata.name));
  for (const { metadata } of over) {
    const body = { preconditions: { resourceVersion: metadata.resourceVersion } };
    await call({ method: 'DELETE', path: `${leases}/${metadata.name}`, body, deadlineMs: DEADLINE_MS });
  }
  return over.length;
}

function journalOf(lease: KubeObject): Journal | undefined {
  try {
    return JSON.parse(lease.metadata.annotations?.[ANNOTATIONS.journal] ?? '') as Journal;
  } catch {
    return undefined;
  }
}
