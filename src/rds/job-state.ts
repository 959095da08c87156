// What a Job tells about itself, and how our children of one kind are told apart.

type Seen = { kind: string; metadata: { labels?: Record<string, string> }; status?: unknown };

export const PART = 'otc.mcsps.de/part';
export const SQL_PART = 'sql';
export const USER_PART = 'user';
export const NEXT_PART = 'next';
export const SQL_CONTAINER = 'sql';

export const isSqlJob = (child: Seen): boolean =>
  child.kind === 'Job' && child.metadata.labels?.[PART] === SQL_PART;

export type JobEnd = { succeeded: boolean; at: string; because: string };

type JobStatus = {
  ready?: number;
  conditions?: {
    type: string;
    status: string;
    reason?: string;
    message?: string;
    lastTransitionTime?: string;
  }[];
};

const statusOf = (job: Seen): JobStatus => (job.status ?? {}) as JobStatus;

/** undefined while it is not over. */
export function jobEnd(job: Seen): JobEnd | undefined {
  const end = statusOf(job).conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  if (!end) return undefined;
  const because = [end.reason, end.message].filter(Boolean).join(': ');
  return { succeeded: end.type === 'Complete', at: end.lastTransitionTime ?? '', because };
}

export const hasRunningPod = (job: Seen): boolean => (statusOf(job).ready ?? 0) > 0;
