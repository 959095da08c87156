// Which Jobs make no sense beside the embedded simulator: it answers for instances, but no server listens there.

import type { KubeObject } from '../../kube/api.ts';
import { logJobs } from '../../rds/log-children.ts';

const WORDS =
  'no database server is behind an instance of the embedded simulator, so nothing that speaks SQL runs here. It runs on a cluster, and with a simulator started with --mysql or --postgres';

export const sqlRefusal = (job: KubeObject): string | undefined =>
  logJobs([job]).length > 0 ? undefined : WORDS;
