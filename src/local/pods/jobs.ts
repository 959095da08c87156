// Stands in for job controller, scheduler and kubelet on a laptop: each Job of an Rds gets one pod, whose
// containers run as local Node processes with the checkout as their image.

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { KubeCall, KubeObject, KubeRequest } from '../../kube/api.ts';
import type { WatchEvent } from '../watch.ts';
import { replacedPaths } from './box.ts';
import type { Kill } from './container-process.ts';
import { checkoutImage } from './image.ts';
import { createKeptOutput, type KeptOutput } from './kept-output.ts';
import { learningSecrets } from './learned-secrets.ts';
import { guardFolder } from './orphan-guard.ts';
import { now } from './report.ts';
import { type PodRun, startPod } from './run.ts';
import { type Pod, podPath } from './types.ts';

export type JobRunner = {
  /** Of a Job that is still there. */
  output(namespace: string, job: string): KeptOutput | undefined;
  stop(): Promise<void>;
};

type Job = KubeObject & {
  spec: { activeDeadlineSeconds?: number; template: { metadata?: object; spec: Pod['spec'] } };
  status?: { conditions?: unknown[] };
};

export type JobRunnerOptions = {
  kube: KubeCall;
  watch: (listener: (event: WatchEvent) => void) => () => void;
  /** `process.kill`. */
  kill: Kill;
  /** Why this Job cannot run here; undefined: it can. */
  refusal: (job: KubeObject) => string | undefined;
  onProblem: (message: string) => void;
};

type Running = { secrets: Set<string>; output: KeptOutput; run?: PodRun };

const DEADLINE_MS = 5_000;

export function createJobRunner(options: JobRunnerOptions): JobRunner {
  const running = new Map<string, Running>();
  const atWork = new Set<Promise<void>>();
  let isStopping = false;

  const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;

  async function ask(request: Omit<KubeRequest, 'deadlineMs'>): Promise<KubeObject | undefined> {
    const { status, body } = await options.kube({ ...request, deadlineMs: DEADLINE_MS });
    // The Job or its pod went away meanwhile: there is nobody left to tell.
    return status < 300 ? (body as KubeObject) : undefined;
  }

  const tell = ({ metadata }: Job, status: object) =>
    ask({
      method: 'PATCH',
      path: `/apis/batch/v1/namespaces/${metadata.namespace}/jobs/${metadata.name}/status`,
      contentType: 'application/merge-patch+json',
      body: { metadata: { uid: metadata.uid }, status },
    });

  const end = (job: Job, type: 'Complete' | 'Failed', reason?: string, message?: string) =>
    tell(job, {
      active: 0,
      ready: 0,
      [type === 'Complete' ? 'succeeded' : 'failed']: 1,
      conditions: [{ type, status: 'True', reason, message, lastTransitionTime: now() }],
    });

  async function work(job: Job, mine: Running): Promise<void> {
    const pod = (await ask({ method: 'POST', path: podsPath(job), body: podOf(job) })) as Pod | undefined;
    if (!pod) return;
    const dir = await mkdtemp(join(tmpdir(), 'rds-pilot-pod-'));
    const release = guardFolder(dir);
    try {
      mine.run = startPod({
        kube: learningSecrets(options.kube, mine.secrets),
        pod,
        dir,
        imageOf: checkoutImage,
        box: replacedPaths,
        kill: options.kill,
        onOutput: mine.output.add,
      });
      if (isStopping || running.get(keyOf(job)) !== mine) mine.run.terminate(0);
      await tell(job, { active: 1, ready: 1, startTime: now() });
      await mine.run.ended;
    } finally {
      mine.output.close();
      await rm(dir, { recursive: true, force: true });
      release();
    }
    const last = (await ask({ method: 'GET', path: podPath(pod) })) as Pod | undefined;
    if (!last) return;
    if (last.status?.phase === 'Succeeded') await end(job, 'Complete');
    else await end(job, 'Failed', last.status?.reason ?? 'BackoffLimitExceeded', last.status?.message);
  }

  async function begin(job: Job): Promise<void> {
    const secrets = new Set<string>();
    const mine: Running = { secrets, output: createKeptOutput(secrets) };
    running.set(keyOf(job), mine);
    // Who else watches shall learn of the Job before it learns of its end.
    await nextTurn();
    const refusal = options.refusal(job);
    if (refusal !== undefined) await end(job, 'Failed', 'NotRunHere', refusal);
    else await work(job, mine);
  }

  const isOfRds = ({ metadata }: KubeObject) =>
    metadata.ownerReferences?.some(({ kind }) => kind === 'Rds') ?? false;

  const stopWatching = options.watch(({ type, object }) => {
    if (object.kind !== 'Job' || !isOfRds(object)) return;
    if (type === 'DELETED') {
      running.get(keyOf(object))?.run?.terminate(0);
      running.delete(keyOf(object));
      return;
    }
    if (type !== 'ADDED' || isStopping) return;
    const working = begin(object as Job)
      .catch((error: unknown) => options.onProblem(`Job ${keyOf(object)}: ${error}`))
      .finally(() => atWork.delete(working));
    atWork.add(working);
  });

  return {
    output: (namespace, job) => running.get(`${namespace}/${job}`)?.output,
    async stop() {
      isStopping = true;
      stopWatching();
      for (const { run } of running.values()) run?.terminate(0);
      await Promise.all(atWork);
    },
  };
}

const podsPath = ({ metadata }: Job): string => `/api/v1/namespaces/${metadata.namespace}/pods`;

/** One pod and no second try; its deadline is that of the Job. */
function podOf({ apiVersion, kind, metadata, spec }: Job): KubeObject {
  const { name, namespace = 'default', uid = '', labels } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${name}-${randomBytes(3).toString('hex').slice(0, 5)}`,
      namespace,
      labels: { ...labels, 'job-name': name, 'batch.kubernetes.io/job-name': name },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
    spec: {
      ...spec.template.spec,
      ...(spec.activeDeadlineSeconds ? { activeDeadlineSeconds: spec.activeDeadlineSeconds } : {}),
    },
  };
}
