// The lines of a log Job, through the API server, where `kubectl logs` finds them too. Progress and summary are told
// beside them.

import { LOG_NAMES, type LogName } from '../rds/log-report.ts';
import type { Cluster } from './cluster.ts';
import { EXIT, Failure } from './failure.ts';
import { plain } from './screen.ts';

type Pod = { metadata: { name: string; creationTimestamp?: string } };

export type LogLine = {
  log: LogName;
  /** What the Job printed, as it was. */
  raw: string;
  time: string;
  text: string;
};

const jobPods = (namespace: string, job: string): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods?labelSelector=${encodeURIComponent(`job-name=${job}`)}`;

/** The newest pod of the Job; undefined before there is one. */
export async function podOf(cluster: Cluster, namespace: string, job: string): Promise<string | undefined> {
  const pods = await cluster.list<Pod>(jobPods(namespace, job));
  pods.sort((a, b) => (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''));
  return pods[0]?.metadata.name;
}

export const logNames = (only: string | undefined): readonly LogName[] =>
  LOG_NAMES.filter((name) => (only ?? name) === name);

/** Every line of a container, one by one; `follow` waits for more until the container ends. */
export async function* podLines(
  cluster: Cluster,
  pod: { namespace: string; name: string; container: LogName; follow: boolean },
): AsyncGenerator<LogLine> {
  const path = `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}/log?container=${pod.container}${pod.follow ? '&follow=true' : ''}`;
  const { status, body } = await cluster.stream(path);
  if (status !== 200) throw await unreadable(status, body, pod);
  for await (const line of linesOf(body)) {
    const read = readLine(line, pod.container);
    if (read) yield read;
  }
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Pods mix stdout and stderr: progress is no line of the log, nor is the summary at the end. */
function readLine(raw: string, log: LogName): LogLine | undefined {
  if (!raw.startsWith('{')) return undefined;
  try {
    const row = JSON.parse(raw) as Record<string, unknown>;
    if (row.log !== log) return undefined;
    if (Array.isArray(row.top)) return { log, raw, time: '~', text: topText(row.top) };
    if (typeof row.time !== 'string') return undefined;
    return { log, raw, time: row.time, text: log === 'errorlog' ? errorText(row) : slowText(row) };
  } catch {
    return undefined;
  }
}

const errorText = ({ level, content }: Record<string, unknown>): string =>
  `${level ?? ''}  ${plain(`${content ?? ''}`)}`;

const slowText = ({ seconds, count, database, query }: Record<string, unknown>): string =>
  `${seconds} s  x${count}  ${database ?? '-'}  ${plain(`${query ?? ''}`)}`;

const topText = (top: unknown[]): string =>
  `slowest statements:\n${(top as Record<string, unknown>[])
    .map(({ seconds, count, query }) => `    ${seconds} s  x${count}  ${plain(`${query ?? ''}`)}`)
    .join('\n')}`;

async function unreadable(
  status: number,
  body: AsyncIterable<Buffer>,
  pod: { namespace: string; name: string },
): Promise<Failure> {
  let text = '';
  for await (const chunk of body) text += chunk.toString('utf8');
  const message = plain(/"message":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? text).slice(0, 300);
  return new Failure(
    status === 403 ? EXIT.refused : EXIT.failed,
    `The lines of pod ${pod.namespace}/${pod.name} cannot be read: ${message || status}`,
    status === 403 ? 'Missing: verb get on pods/log. The ClusterRole view has it.' : undefined,
  );
}
