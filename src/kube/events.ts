// Events for `kubectl describe rds`. The name of an Event is derived from its transition, so a second replica
// that saw the same one gets a 409; a missing right or a namespace on its way out only costs the Event.

import type { Logger } from 'pino';
import { isoTime } from '../rds/conditions.ts';
import { API_VERSION } from '../rds/crd.ts';
import { hashHex } from '../rds/hash.ts';
import type { KubeCall } from './api.ts';

export type EventToWrite = {
  kind?: 'RdsBackup';
  rds: { namespace: string; name: string; uid: string; resourceVersion: string };
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  key: string;
};

export type WriteEvents = (events: readonly EventToWrite[]) => void;

const DEADLINE_MS = 3_000;
const REMEMBERED = 10_000;

export function createEventWriter(call: KubeCall, now: () => number, log: Logger): WriteEvents {
  const written = new Set<string>();

  async function write(event: EventToWrite, name: string): Promise<void> {
    const { namespace } = event.rds;
    const at = isoTime(now());
    const answer = await call({
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/events`,
      deadlineMs: DEADLINE_MS,
      body: {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace },
        involvedObject: { apiVersion: API_VERSION, kind: event.kind ?? 'Rds', ...event.rds },
        type: event.type,
        reason: event.reason,
        message: event.message.slice(0, 1000),
        firstTimestamp: at,
        lastTimestamp: at,
        count: 1,
        source: { component: 'rds-pilot' },
        reportingComponent: 'rds-pilot',
        reportingInstance: 'rds-pilot',
      },
    });
    if (answer.status >= 300 && answer.status !== 409)
      log.debug({ status: answer.status }, 'an Event was refused');
  }

  return (events) => {
    for (const event of events) {
      const identity = `${event.rds.uid}/${event.key}`;
      const name = `${event.rds.name.slice(0, 40).replace(/-+$/, '')}.${hashHex(identity, 8)}${hashHex(`+${identity}`, 8)}`;
      if (written.has(name)) continue;
      if (written.size >= REMEMBERED) written.clear();
      written.add(name);
      write(event, name).catch((error: unknown) =>
        log.debug({ err: error }, 'an Event could not be written'),
      );
    }
  };
}
