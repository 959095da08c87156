// Changes of a running instance: which call carries out which change.

import type { Call } from './call.ts';
import type { Cloud, InstanceChange } from './cloud.ts';
import type { Json } from './json.ts';
import { readJobId } from './rds-wire.ts';

type Request = { method: 'POST' | 'PUT'; path: string; body: Json; secrets?: string[] };

const everyDay = '1,2,3,4,5,6,7';

const action = (body: Json): Request => ({ method: 'POST', path: '/action', body });
const setting = (path: string, body: Json): Request => ({ method: 'PUT', path, body });

type Simple = Exclude<InstanceChange, { kind: 'tags' }>;

function requestFor(change: Simple): Request {
  switch (change.kind) {
    case 'enlarge':
      return action({ enlarge_volume: { size: change.sizeGb } });
    case 'resize':
      return action({ resize_flavor: { spec_code: change.flavor } });
    case 'addStandby': {
      const { zone, password } = change;
      const secret = password === undefined ? {} : { password };
      return {
        ...action({ single_to_ha: { az_code_new_node: zone, ...secret } }),
        secrets: Object.values(secret),
      };
    }
    case 'replicationMode':
      return setting('/failover/mode', { mode: change.mode });
    case 'failoverStrategy':
      return setting('/failover/strategy', { repairStrategy: change.strategy });
    case 'port':
      return setting('/port', { port: change.port });
    case 'securityGroup':
      return setting('/security-group', { security_group_id: change.securityGroupId });
    case 'backupPolicy':
      return setting('/backups/policy', { backup_policy: policy(change) });
    case 'parameters':
      return setting('/configurations', { values: change.values });
    case 'ssl':
      return setting('/ssl', { ssl_option: change.on });
    case 'window':
      return setting('/ops-window', { start_time: change.start, end_time: change.end });
    case 'stop':
      return { method: 'POST', path: '/action/shutdown', body: {} };
    case 'start':
      return { method: 'POST', path: '/action/startup', body: {} };
    case 'minorUpgrade':
      return { method: 'POST', path: '/db-upgrade', body: { is_delayed: false } };
    case 'failover':
      return setting('/failover', {});
  }
}

/** Without automated backups there is no time for them either. */
function policy({ startTime, keepDays }: { startTime: string; keepDays: number }): Json {
  return keepDays === 0 ? { keep_days: 0 } : { keep_days: keepDays, start_time: startTime, period: everyDay };
}

export function createRdsChanges(
  call: Call,
  tags: Pick<Cloud, 'tagInstance' | 'untagInstance'>,
): Pick<Cloud, 'change'> {
  return {
    async change(id, change) {
      if (change.kind === 'tags') {
        if (change.remove.length > 0) await tags.untagInstance(id, change.remove);
        if (Object.keys(change.set).length > 0) await tags.tagInstance(id, change.set);
        return { jobId: undefined };
      }
      const { method, path, body, secrets } = requestFor(change);
      const { value } = await call({
        service: 'rds',
        method,
        path: `/instances/{id}${path}`,
        params: { id },
        body,
        read: readJobId,
        ...(secrets ? { secrets } : {}),
      });
      return value;
    },
  };
}
