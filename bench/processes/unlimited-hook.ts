// The hook without its rate limit towards the cloud: ten thousand lists of backups would take a quarter of an hour to
// read, and what is measured here comes after that. `node unlimited-hook.ts CLOUD-URL PORT`.

import { randomUUID } from 'node:crypto';
import { buildApp } from '../../src/app.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { createJournalStore } from '../../src/kube/journal.ts';
import { requestIsLive } from '../../src/kube/live.ts';
import { createMemoryLeases } from '../../src/kube/memory-leases.ts';
import { createOwnerLeases } from '../../src/kube/owner-lease.ts';
import { createLogger } from '../../src/logger.ts';
import { createMetrics } from '../../src/metrics.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import { createUndiciSend } from '../../src/otc/undici-send.ts';
import { demoVariables } from '../../src/simulator/demo-account.ts';
import { drawPassword } from '../../src/sync/draw-password.ts';

const ROUND_MS = 65_000;
const [cloudUrl = '', port = '0'] = process.argv.slice(2);
let aheadMs = 0;
const clock: Clock = {
  now: () => systemClock.now() + aheadMs,
  elapsed: () => systemClock.elapsed() + aheadMs,
  sleep: systemClock.sleep,
};
// A fleet at rest comes back after this; nobody has to wait for it here.
process.on('message', (order) => {
  if (order === 'round') aheadMs += ROUND_MS;
});
const log = createLogger('error');
const call = createMemoryLeases();
const { send } = createUndiciSend();
const limits = { callsPerSecond: 1e6, burst: 1e6 };
const app = await buildApp({
  sync: {
    clock,
    log,
    timing: { settleMs: 300_000, absenceGapMs: 30_000 },
    openCloud: createOpenCloud({ send, clock, random: Math.random, limits }),
    defaultCredentials: readCredentials(demoVariables(cloudUrl)),
    readCredentials,
    journal: createJournalStore({ call, namespace: 'rds-pilot', nonce: randomUUID, deadlineMs: 2_500 }),
    ownerLeases: createOwnerLeases(call, 'rds-pilot', 2_500),
    readLive: requestIsLive,
    readLiveBackup: async (backup) => backup,
    memorySince: undefined,
    draw: () => ({ password: drawPassword(), mark: randomUUID() }),
    publish: () => {},
    keepEvidence: () => {},
  },
  metrics: createMetrics({ process: false }),
  hookTokens: [],
  notReady: async () => undefined,
  logger: log,
  version: 'bench',
});
await app.listen({ host: '127.0.0.1', port: Number(port) });
