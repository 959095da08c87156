// The life of one pod: wait for what it refers to, run its containers, report their states, end it in time.
import { mkdir, readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  bytesOf,
  type ContainerEnd,
  type ContainerProcess,
  type Kill,
  runContainer,
  type StreamName,
} from './container-process.ts';
import { Unsupported } from './inputs.ts';
import { type PodLaunchOptions, type PreparedContainer, preparePod, volumesFolder } from './launch.ts';
import { createPodReport, now } from './report.ts';

export type PodRun = {
  /** Settles when every container has ended and the last status was written. */
  ended: Promise<void>;
  /** SIGTERM now, SIGKILL after the grace. */
  terminate: (graceSeconds: number) => void;
};

export type PodRunOptions = PodLaunchOptions & {
  kill: Kill;
  onOutput: (container: string, stream: StreamName, chunk: Buffer) => void;
};

const RETRY_MS = 300;
const MESSAGE_BYTES = 4096;

export function startPod(options: PodRunOptions): PodRun {
  const { pod, dir, kill, onOutput } = options;
  const report = createPodReport(options.kube, pod);
  const processes: ContainerProcess[] = [];
  let terminating = false;

  const prepare = async (): Promise<PreparedContainer[]> => {
    let told = '';
    while (!terminating) {
      try {
        return await preparePod(options);
      } catch (error) {
        if (error instanceof Unsupported) throw error;
        const message = error instanceof Error ? error.message : String(error);
        if (message !== told) await report.tell('Pending', { reason: 'ContainerCreating', message });
        told = message;
        await sleep(RETRY_MS);
      }
    }
    return [];
  };

  const runOne = async ({ container, launch, messageFile }: PreparedContainer): Promise<ContainerEnd> => {
    const { name, resources } = container;
    const startedAt = now();
    const memory = resources?.limits?.memory;
    const child = runContainer(launch, {
      kill,
      onOutput: (stream, chunk) => onOutput(name, stream, chunk),
      ...(memory === undefined ? {} : { memoryLimitBytes: bytesOf(memory) }),
    });
    processes.push(child);
    report.set(name, { running: { startedAt } });
    const end = await child.ended;
    // A kubelet keeps 4096 bytes of it.
    const message = (await readFile(messageFile, 'utf8').catch(() => '')).slice(0, MESSAGE_BYTES);
    report.set(name, { terminated: { ...end, ...(message && { message }), startedAt, finishedAt: now() } });
    return end;
  };

  const terminate = (graceSeconds: number): void => {
    terminating = true;
    for (const child of processes) child.signal('SIGTERM');
    setTimeout(() => {
      for (const child of processes) child.signal('SIGKILL');
    }, graceSeconds * 1000).unref();
  };

  const runAll = async (prepared: PreparedContainer[]): Promise<ContainerEnd[]> => {
    // The states are told one report after the other, so that an older one never comes last.
    let telling = Promise.resolve();
    const tell = () => {
      telling = telling.then(() => report.tell('Running'));
    };
    const ends = prepared.map((each) => runOne(each).finally(tell));
    tell();
    const all = await Promise.all(ends);
    await telling;
    return all;
  };

  const live = async (): Promise<void> => {
    await mkdir(dir, { recursive: true });
    const prepared = await prepare();
    let isLate = false;
    const { activeDeadlineSeconds, terminationGracePeriodSeconds = 30 } = pod.spec;
    const expire = () => {
      isLate = true;
      terminate(terminationGracePeriodSeconds);
    };
    const deadline = activeDeadlineSeconds ? setTimeout(expire, activeDeadlineSeconds * 1000) : undefined;
    const ends = terminating ? [] : await runAll(prepared);
    clearTimeout(deadline);
    await rm(volumesFolder(dir), { recursive: true, force: true });
    const isSuccess = ends.length > 0 && !isLate && ends.every(({ exitCode }) => exitCode === 0);
    await report.tell(isSuccess ? 'Succeeded' : 'Failed', isLate ? { reason: 'DeadlineExceeded' } : {});
  };

  const ended = live().catch((error: unknown) =>
    report.tell('Failed', {
      reason: 'Unsupported',
      message: error instanceof Error ? error.message : String(error),
    }),
  );
  return { ended, terminate };
}
