// Which log Jobs and credentials stay. A Secret goes only when the journal no longer lists its credential; a Job
// stays until people have had a day to read what it printed, or a newer order takes its place.

import { jobEnd } from '../../rds/job-state.ts';
import { formOf, logJobs, logSecrets, named } from '../../rds/log-children.ts';
import { type LogOrder, logJobName } from '../../rds/log-order.ts';
import type { ChildObject, Observed } from '../decide/observed.ts';
import { credentialSecret, logJob } from './log-job.ts';

const READABLE_MS = 24 * 3600_000;

/** `again` repeats a child as it was observed. */
export function logChildren(
  o: Observed,
  again: (child: ChildObject) => ChildObject | undefined,
): ChildObject[] {
  const issued = o.logs?.issued;
  const made = [...(issued ? [credentialSecret(o.rds.metadata.namespace, issued)] : []), ...presentJob(o)];
  const isMade = (child: ChildObject) =>
    made.some((one) => one.kind === child.kind && one.metadata.name === child.metadata.name);
  const seen = [
    ...logSecrets(o.children).filter((secret) => staysSecret(o, secret)),
    ...logJobs(o.children).filter((job) => staysJob(o, job)),
  ];
  const repeated = seen.filter((child) => !isMade(child)).map(again);
  return [...made, ...repeated.filter((child) => child !== undefined)];
}

function journalOf(o: Observed) {
  return typeof o.journal === 'object' && !('unavailable' in o.journal) ? o.journal : undefined;
}

function staysSecret(o: Observed, secret: ChildObject): boolean {
  const journal = journalOf(o);
  const { name } = secret.metadata;
  if (!journal || journal.credentials?.some((one) => one.name === name)) return true;
  // Not on the list any more, or never: a token must have been seen dead in this very call.
  return formOf(secret) === 'token' && !o.logs?.revoked.includes(name);
}

function staysJob(o: Observed, job: ChildObject): boolean {
  const end = jobEnd(job);
  if (end && o.nowMs - Date.parse(end.at) > READABLE_MS) return false;
  const journal = journalOf(o);
  if (!journal) return true;
  const { logs, closed } = journal;
  return !closed && logs !== undefined && job.metadata.name === nameOf(o, logs);
}

const nameOf = (o: Observed, { order, attempt }: LogOrder) => logJobName(o.rds.metadata, order, attempt);

/** While the order runs and its credential can be seen: a Job without one would only wait. */
function presentJob(o: Observed): ChildObject[] {
  const journal = journalOf(o);
  const { logs, id, closed } = journal ?? {};
  if (logs?.state !== 'running' || id === undefined || closed) return [];
  const name = nameOf(o, logs);
  const hasCredential = o.logs?.issued?.name === name || named(logSecrets(o.children), name) !== undefined;
  if (!hasCredential || named(logJobs(o.children), name)) return [];
  const { namespace } = o.rds.metadata;
  const instance = o.cloud.kind === 'fresh' || o.cloud.kind === 'glance' ? o.cloud.instance : undefined;
  const engine = instance?.engine ?? o.spec.datastoretype;
  const inputs = { name, namespace, instanceId: id, engine, logs };
  return [logJob({ ...inputs, image: o.jobImage ?? '' })];
}
