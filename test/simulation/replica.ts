// One replica of rds-pilot: the real loop with its own caches and its own clock, on the shared cluster and cloud.

import type { Logger } from 'pino';
import type { Clock } from '../../src/clock.ts';
import type { KubeCall } from '../../src/kube/api.ts';
import { createEventWriter } from '../../src/kube/events.ts';
import { createEvidenceKeeper } from '../../src/kube/evidence.ts';
import { createReadJobMessages } from '../../src/kube/job-messages.ts';
import { createJournalStore } from '../../src/kube/journal.ts';
import { createReadLive, createReadLiveBackup, createReadLiveNamespace } from '../../src/kube/live.ts';
import { createOwnerLeases } from '../../src/kube/owner-lease.ts';
import { createReadSecretOwners } from '../../src/kube/secret-owner.ts';
import { sweepJournals } from '../../src/kube/sweep.ts';
import type { HookResponse } from '../../src/local/hook-call.ts';
import type { JsonRecord } from '../../src/local/json.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import type { Send } from '../../src/otc/send.ts';
import type { Timing } from '../../src/rds/journal.ts';
import { DEMO_DOMAIN, DEMO_PROJECT, DEMO_USER, REGION } from '../../src/simulator/demo-account.ts';
import type { HookAnswer } from '../../src/sync/answer.ts';
import { relatedResources } from '../../src/sync/customize.ts';
import type { SyncDeps } from '../../src/sync/deps.ts';
import { createLoop, type HookName, type Outcome } from '../../src/sync/loop.ts';
import { backupRelatedResources } from '../../src/sync/rdsbackup/customize.ts';
import { type BackupOutcome, createBackupLoop } from '../../src/sync/rdsbackup/loop.ts';
import { readBackup, readBackupRequest } from '../../src/sync/rdsbackup/request.ts';
import { type CustomizeRequest, type HookRequest, readParent } from '../../src/sync/request.ts';
import { createShareLoop, SHARE_RELATED, type ShareOutcome } from '../../src/sync/share/loop.ts';
import { readShareRequest, type ShareRequest } from '../../src/sync/share/request.ts';
import { HOUR_MS, SECOND } from './clock.ts';
import { BASE_URL } from './cloud.ts';
import type { Mortal } from './mortal.ts';
import { passwordOf } from './secrets.ts';
import { plainRun, standingRun } from './standing-run.ts';

export const OUR_NAMESPACE = 'rds-pilot';
const timing: Timing = { settleMs: 300 * SECOND, absenceGapMs: 30 * SECOND, hourMs: HOUR_MS };
/** As in service.ts: what a call has left for its record is counted with it. */
const KUBE_DEADLINE_MS = 2_500;

export type Replica = {
  readonly mortal: Mortal;
  /** `isHeard`: whether the caller still listens when the answer is ready. */
  call(path: string, body: unknown, isHeard?: () => boolean): Promise<HookResponse>;
  kill(): void;
  /** One round of the sweeper of journals; a failing one is tried again in the next round. */
  sweep(): Promise<void>;
  /** Moves this replica's own clock; the cloud's and the cluster's stay. */
  jump(ms: number): void;
};

export type ReplicaWatcher = {
  /** Any hook. */
  called(): void;
  began(
    hook: HookName,
    request: HookRequest,
    replica: Mortal,
  ): (response: HookResponse | Error, answer?: HookAnswer, isHeard?: boolean) => void;
  sharing(namespace: string, replica: Mortal): (response: HookResponse | Error) => void;
  logged(text: string): void;
  stoodWrongly(words: string): void;
};

export type ReplicaDeps = {
  clock: Clock;
  mortal: Mortal;
  send: Send;
  kube: KubeCall;
  random: () => number;
  uid: () => string;
  /** Answers that stand are given again. */
  stands: boolean;
  watcher: ReplicaWatcher;
};

const credentials = readCredentials({
  OS_AUTH_URL: `${BASE_URL}/v3`,
  OS_REGION_NAME: REGION,
  OS_PROJECT_NAME: DEMO_PROJECT.name,
  OS_DOMAIN_NAME: DEMO_DOMAIN.name,
  OS_USERNAME: DEMO_USER.name,
  OS_PASSWORD: DEMO_USER.password,
});

export function createReplica({
  clock,
  mortal,
  send,
  kube,
  random,
  uid,
  stands,
  watcher,
}: ReplicaDeps): Replica {
  let skewMs = 0;
  const own: Clock = {
    now: () => clock.now() + skewMs,
    elapsed: clock.elapsed,
    sleep: (ms) => mortal.lives(clock.sleep(ms)),
  };
  const log = createListeningLog(watcher.logged);
  const deps: SyncDeps = {
    clock: own,
    openCloud: createOpenCloud({ send, clock: own, random }),
    defaultCredentials: credentials,
    readCredentials,
    journal: createJournalStore({
      call: kube,
      namespace: OUR_NAMESPACE,
      nonce: uid,
      deadlineMs: KUBE_DEADLINE_MS,
    }),
    ownerLeases: createOwnerLeases(kube, OUR_NAMESPACE, KUBE_DEADLINE_MS),
    readLive: createReadLive(kube, KUBE_DEADLINE_MS),
    readLiveBackup: createReadLiveBackup(kube, KUBE_DEADLINE_MS),
    readSecretOwners: createReadSecretOwners(kube, KUBE_DEADLINE_MS),
    readLiveNamespace: createReadLiveNamespace(kube, KUBE_DEADLINE_MS),
    jobImage: 'registry.example/rds-pilot:simulated',
    readJobMessages: createReadJobMessages(kube, KUBE_DEADLINE_MS),
    timing,
    draw: () => ({ password: passwordOf(random), mark: uid() }),
    memorySince: undefined,
    publish: createEventWriter(kube, own.now, log),
    keepEvidence: createEvidenceKeeper(kube, OUR_NAMESPACE, own.now, log),
    log,
  };
  const loop = createLoop(deps);
  const run = stands ? standingRun(deps, loop, watcher.stoodWrongly) : plainRun(own, loop);
  const share = createShareLoop(deps);
  const backup = createBackupLoop(deps);

  function responseOf(outcome: Outcome | BackupOutcome | ShareOutcome): HookResponse {
    switch (outcome.kind) {
      case 'answer':
        return ok(outcome.answer);
      case 'retry':
        return {
          status: 429,
          headers: { 'retry-after': `${outcome.afterSeconds}` },
          body: JSON.stringify({ error: 'StaleView', message: outcome.because }),
        };
      case 'unavailable':
        return {
          status: 503,
          headers: {},
          body: JSON.stringify({ error: 'JournalUnavailable', message: outcome.because }),
        };
    }
  }

  async function watched(
    name: HookName,
    request: HookRequest,
    isHeard: () => boolean,
  ): Promise<HookResponse> {
    const ended = watcher.began(name, request, mortal);
    try {
      const outcome = await run(name, request);
      const response = responseOf(outcome);
      const heard = isHeard();
      if (outcome.kind === 'answer' && !heard) await outcome.unheard?.();
      ended(response, outcome.kind === 'answer' ? outcome.answer : undefined, heard);
      return response;
    } catch (error) {
      ended(error instanceof Error ? error : new Error(String(error)));
      return { status: 500, headers: {}, body: JSON.stringify({ error: 'Internal' }) };
    }
  }

  async function backedUp(name: HookName, request: HookRequest): Promise<HookResponse> {
    const ended = watcher.began(name, request, mortal);
    try {
      const outcome = await backup(name, readBackupRequest(request, own.now()));
      const response = responseOf(outcome);
      ended(response, outcome.kind === 'answer' ? (outcome.answer as HookAnswer) : undefined);
      return response;
    } catch (error) {
      ended(error instanceof Error ? error : new Error(String(error)));
      return { status: 500, headers: {}, body: JSON.stringify({ error: 'Internal' }) };
    }
  }

  async function shared(request: ShareRequest): Promise<HookResponse> {
    const ended = watcher.sharing(request.object.metadata.name, mortal);
    try {
      const response = responseOf(await share(readShareRequest(request)));
      ended(response);
      return response;
    } catch (error) {
      ended(error instanceof Error ? error : new Error(String(error)));
      return { status: 500, headers: {}, body: JSON.stringify({ error: 'Internal' }) };
    }
  }

  return {
    mortal,
    call(path, body, isHeard = () => true) {
      watcher.called();
      if (path === '/customize') {
        const rules = relatedResources(readParent((body as CustomizeRequest).parent, own.now()));
        return Promise.resolve(ok({ relatedResources: rules }));
      }
      if (path === '/rdsbackup/customize') {
        const rules = backupRelatedResources(readBackup((body as CustomizeRequest).parent, own.now()));
        return Promise.resolve(ok({ relatedResources: rules }));
      }
      if (path.startsWith('/rdsbackup/')) {
        const hook = path.slice('/rdsbackup/'.length) as HookName;
        return mortal.orDies(backedUp(hook, body as HookRequest));
      }
      if (path === '/share/customize') return Promise.resolve(ok(SHARE_RELATED));
      if (path === '/share/sync') return mortal.orDies(shared(body as ShareRequest));
      const work = watched(path.slice(1) as HookName, body as HookRequest, isHeard);
      return mortal.orDies(work);
    },
    kill: () => mortal.kill(),
    async sweep() {
      await mortal.orDies(sweepJournals(kube, OUR_NAMESPACE, own.now())).catch(() => {});
    },
    jump(ms) {
      skewMs += ms;
    },
  };
}

/** A text only for who wants to read it: most of them nobody does. */
const ok = (answer: object): HookResponse => ({
  status: 200,
  headers: {},
  value: answer as JsonRecord,
  get body() {
    return JSON.stringify(answer);
  },
});

/** Only as much of a logger as the loop uses; everything it is told goes to the oracle of secrets. */
function createListeningLog(listen: (text: string) => void): Logger {
  const line = (first: unknown, message?: string) => listen(`${textOf(first)} ${message ?? ''}`);
  return { trace: line, debug: line, info: line, warn: line, error: line, fatal: line } as unknown as Logger;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && 'err' in value && value.err instanceof Error) {
    return `${value.err.message} ${value.err.stack}`;
  }
  return JSON.stringify(value);
}
