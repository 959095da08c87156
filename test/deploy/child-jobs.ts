// One of each Job that the hook makes as a child.
import { drillJob } from '../../src/sync/children/drill-job.ts';
import { logJob } from '../../src/sync/children/log-job.ts';
import { sqlJob } from '../../src/sync/children/sql-job.ts';
import type { Rendered } from './render.ts';

const IMAGE = 'rds-pilot:test';

export function childJobs(namespace: string): Rendered[] {
  const logs = logJob({
    name: 'shop-logs-1',
    namespace,
    image: IMAGE,
    instanceId: '0123456789abcdef0123456789abcdefin01',
    engine: 'MySQL',
    logs: { order: 1, attempt: 1, state: 'running', form: 'keys', fromMs: 0, toMs: 3_600_000, top: 10 },
  });
  const sql = sqlJob(
    { name: 'shop', namespace },
    {
      name: 'shop-sql-1',
      image: IMAGE,
      passwords: {},
      wish: { engine: 'MySQL', databases: ['app'], users: [], drop: { databases: [], users: [] } },
    },
  );
  const drill = drillJob({ name: 'drill-0123456789ab-202611170300', namespace }, IMAGE);
  return [logs, ...sql, drill].filter(({ kind }) => kind === 'Job') as Rendered[];
}
