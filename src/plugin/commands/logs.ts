// `logs`: orders the log Job, waits for it, and prints what its pod printed.

import { LOG_NAMES } from '../../rds/log-report.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { Cluster, RdsObject } from '../cluster.ts';
import { type Command, TIMEOUT, textFlag, type World } from '../command.ts';
import { EXIT, type ExitCode, Failure, usage } from '../failure.ts';
import { type LogLine, logNames, podLines, podOf } from '../pod-lines.ts';
import { conditionOf } from '../rds-view.ts';
import { durationMs, timeoutOf, waitFor } from '../wait.ts';

const PATIENCE_MS = 16 * 60_000;
const MONTH_MS = 30 * 86_400_000;

export const logs: Command = {
  name: 'logs',
  summary: 'fetch error log and slow log of a database by a Job and print them',
  synopsis: 'NAME [--since 2h] [--only errorlog|slowlog] [--follow]',
  text: 'Lines are printed in order of time when the Job is over; with --follow as they come, newest first, as the cloud hands them out. -o json prints each line as a JSON object. The slow log holds values that clients sent.',
  takes: [1, 1],
  completes: 'rds',
  options: {
    since: { takes: 'DURATION', means: 'how far back, as in 2h or 1d; 24h by default, 30d at most' },
    only: { takes: 'LOG', means: 'one of the two logs', choices: LOG_NAMES },
    follow: { short: 'f', means: 'print lines while the Job runs' },
    timeout: TIMEOUT,
  },
  outputs: ['table', 'json'],
  async run(given, world) {
    const [name = ''] = given.names;
    const spanMs = durationMs(textFlag(given, 'since') ?? '24h', 'since');
    if (spanMs < 60_000 || spanMs > MONTH_MS)
      throw usage('--since is out of range.', 'The cloud keeps a month; at least 1m.');
    const timeoutMs = timeoutOf(given.flags.timeout, PATIENCE_MS);
    const cluster = await world.connect();
    const rds = await cluster.rds(name);
    const order = orderFor(rds, spanMs);
    await cluster.annotate(rds, { [ANNOTATIONS.logs]: order });
    const isFollowing = given.flags.follow === true;
    const containers = logNames(textFlag(given, 'only'));
    const print = ({ raw, log, time, text }: LogLine): void =>
      world.out(given.output === 'json' ? `${raw}\n` : `${time === '~' ? '' : `${time}  `}${log}  ${text}\n`);
    const taken = await ordered(world, cluster, { name, order, timeoutMs, isFollowing });
    if (isFollowing && taken.name !== undefined) {
      const pod = await startedPod(world, cluster, {
        job: taken.name,
        namespace: rds.metadata.namespace,
        timeoutMs,
      });
      await Promise.all(
        containers.map((container) => drain(podLines(cluster, { ...pod, container, follow: true }), print)),
      );
    }
    const job = isFollowing
      ? await ordered(world, cluster, { name, order, timeoutMs, isFollowing: false })
      : taken;
    if (!isFollowing && job.name !== undefined) await printInOrder(cluster, rds, job.name, containers, print);
    return verdict(world, job);
  },
};

/** Any new value is an order, so a span that was just ordered is spelled another way. */
export function orderFor(rds: Pick<RdsObject, 'metadata' | 'status'>, spanMs: number): string {
  const minutes = Math.round(spanMs / 60_000);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  const compact = `${hours > 0 ? `${hours}h` : ''}${rest > 0 ? `${rest}m` : ''}`;
  const spellings = [compact, `${minutes}m`, `${hours}h${rest}m`, `${hours}h${rest}m0s`];
  const used = [rds.metadata.annotations?.[ANNOTATIONS.logs], rds.status?.handled?.[ANNOTATIONS.logs]];
  return spellings.find((value) => !used.includes(value)) ?? compact;
}

type LogJob = NonNullable<RdsStatus['logJob']>;

/** Until the Job is over, or, for who follows, until there is one. */
async function ordered(
  world: World,
  cluster: Cluster,
  wanted: { name: string; order: string; timeoutMs: number; isFollowing: boolean },
): Promise<LogJob> {
  const { name, order, timeoutMs, isFollowing } = wanted;
  const isEnough = ({ state, name: job }: LogJob) =>
    ['Succeeded', 'Failed', 'Refused'].includes(state) ||
    (isFollowing && state === 'Running' && job !== undefined);
  const { status } = await waitFor(world, {
    what: `The log Job of ${name}`,
    timeoutMs,
    read: () => cluster.rds(name),
    isOver: ({ status }) =>
      status?.handled?.[ANNOTATIONS.logs] === order && status.logJob !== undefined && isEnough(status.logJob),
    describe: ({ status = {} }) =>
      status.handled?.[ANNOTATIONS.logs] === order ? conditionOf(status, 'LogsFetched')?.message : undefined,
  });
  if (!status?.logJob) throw new Failure(EXIT.failed, `The order for logs of ${name} is gone.`);
  return status.logJob;
}

async function startedPod(
  world: World,
  cluster: Cluster,
  { job, namespace, timeoutMs }: { job: string; namespace: string; timeoutMs: number },
): Promise<{ namespace: string; name: string }> {
  type Pod = { status?: { phase?: string } } | undefined;
  const name = await waitFor(world, {
    what: `The pod of Job ${job}`,
    timeoutMs,
    read: async () => {
      const pod = await podOf(cluster, namespace, job);
      const found = pod && (await cluster.find<Pod>(`/api/v1/namespaces/${namespace}/pods/${pod}`));
      return found && found.status?.phase !== 'Pending' ? pod : undefined;
    },
    isOver: (pod) => pod !== undefined,
    describe: () => `Waiting for the pod of Job ${job} to start.`,
  });
  return { namespace, name: name ?? '' };
}

async function printInOrder(
  cluster: Cluster,
  rds: RdsObject,
  job: string,
  containers: ReturnType<typeof logNames>,
  print: (line: LogLine) => void,
): Promise<void> {
  const { namespace } = rds.metadata;
  const pod = await podOf(cluster, namespace, job);
  if (pod === undefined) return;
  const lines: LogLine[] = [];
  for (const container of containers)
    await drain(podLines(cluster, { namespace, name: pod, container, follow: false }), (line) =>
      lines.push(line),
    );
  lines.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  lines.forEach(print);
}

async function drain(lines: AsyncIterable<LogLine>, take: (line: LogLine) => unknown): Promise<void> {
  for await (const line of lines) take(line);
}

function verdict(world: World, job: LogJob): ExitCode {
  for (const log of LOG_NAMES) {
    const result = job[log];
    if (result)
      world.tell(`${log}: ${result.lines ?? 'unknown'} lines${result.note ? `. ${result.note}` : ''}`);
  }
  if (job.state === 'Succeeded') return 0;
  throw new Failure(
    EXIT.failed,
    `The logs were not read: ${job.message ?? job.state}`,
    'See: kubectl rds explain LogsFailed',
  );
}
