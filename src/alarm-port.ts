// The receiver of alarms, given what it needs of the configuration, the cluster and the cloud.

import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { systemClock } from './clock.ts';
import type { AlarmConfig, Config } from './config.ts';
import type { KubeCall } from './kube/api.ts';
import { createFindRds } from './kube/find-rds.ts';
import type { JournalStore } from './kube/journal.ts';
import { createNudge } from './kube/nudge.ts';
import type { Metrics } from './metrics.ts';
import type { Cloud } from './otc/cloud.ts';
import { createHttpsGet } from './receiver/https-get.ts';
import { createReceiver } from './receiver/receiver.ts';
import { readTls } from './tls-reload.ts';

const KUBE_DEADLINE_MS = 2_500;

export type AlarmPort = { listener: FastifyInstance; close(): Promise<void> };

export type AlarmPortDeps = {
  /** The certificate of the hooks. */
  tls: Config['tls'];
  call: KubeCall;
  hasRds: boolean;
  journal: Pick<JournalStore, 'read'>;
  /** Of the operator's own credentials. */
  cloud: Pick<Cloud, 'messageService'>;
  metrics: Pick<Metrics, 'alarmMessage'>;
  log: Logger;
};

export function createAlarmPort(
  { isTls, extraHosts, ca }: AlarmConfig,
  { tls, call, hasRds, journal, cloud, metrics, log }: AlarmPortDeps,
): AlarmPort {
  if (!hasRds) log.warn('ALARM_PORT without an API server: there is no Rds to hand an alarm on to');
  const find = createFindRds(journal, call, KUBE_DEADLINE_MS);
  const outside = createHttpsGet({ ca });
  const listener = createReceiver({
    find,
    nudge: createNudge(find, call, KUBE_DEADLINE_MS),
    messageService: cloud.messageService,
    get: outside.get,
    extraHosts,
    ca,
    count: metrics.alarmMessage,
    https: isTls && tls ? readTls(tls) : undefined,
    clock: systemClock,
    log,
  });
  return {
    listener,
    async close() {
      await listener.close();
      await outside.close();
    },
  };
}
