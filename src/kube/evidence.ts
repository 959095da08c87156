// What became of a database whose namespace is on its way out: the namespace takes status and Events with it, so the
// trail is kept in our own, as a ConfigMap and an Event on it.

import type { Logger } from 'pino';
import { isoTime } from '../rds/conditions.ts';
import { uidDigits } from '../rds/names.ts';
import type { KubeCall } from './api.ts';

export type Evidence = {
  rds: { namespace: string; name: string; uid: string };
  /** One sentence for people. */
  message: string;
  /** Ids and ready-made texts, by name. */
  facts: Record<string, string>;
};

export type KeepEvidence = (evidence: Evidence) => void;

const DEADLINE_MS = 3_000;

export function createEvidenceKeeper(
  call: KubeCall,
  namespace: string,
  now: () => number,
  log: Logger,
): KeepEvidence {
  async function keep({ rds, message, facts }: Evidence): Promise<void> {
    // One per Rds and for good: a repeated finalize finds it there.
    const name = `rds-evidence-${uidDigits(rds.uid)}`;
    const configMap = await call({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/configmaps`,
      deadlineMs: DEADLINE_MS,
      body: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, labels: { 'app.kubernetes.io/managed-by': 'rds-pilot' } },
        data: { rds: `${rds.namespace}/${rds.name}`, uid: rds.uid, message, ...facts },
      },
    });
    if (configMap.status === 409) return;
    if (configMap.status >= 300) {
      log.warn({ status: configMap.status, evidence: { rds, message, facts } }, 'evidence was not kept');
      return;
    }
    const at = isoTime(now());
    await call({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/events`,
      deadlineMs: DEADLINE_MS,
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace },
        involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name },
        type: 'Normal',
        reason: 'DatabaseLetGo',
        message: `${rds.namespace}/${rds.name}: ${message}`.slice(0, 1000),
        firstTimestamp: at,
        lastTimestamp: at,
        count: 1,
        source: { component: 'rds-pilot' },
        reportingComponent: 'rds-pilot',
        reportingInstance: 'rds-pilot',
      },
    });
  }

  return (evidence) => {
    keep(evidence).catch((err: unknown) => log.warn({ err, evidence }, 'evidence was not kept'));
  };
}
