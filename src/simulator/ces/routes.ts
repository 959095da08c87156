// The calls of CES, each with the IAM action it needs.
import type { Endpoint, Route } from '../protocol.ts';
import * as alarms from './alarms.ts';
import * as data from './metric-data.ts';

const ces = (method: string, path: string, action: string, answer: Endpoint): Route => ({
  service: 'ces',
  method,
  template: `/V1.0/{project}${path}`,
  action: `ces:${action}`,
  answer,
});

export const cesRoutes: Route[] = [
  ces('POST', '/alarms', 'alarms:create', alarms.createAlarm),
  ces('GET', '/alarms', 'alarms:list', alarms.listAlarms),
  ces('GET', '/alarms/{id}', 'alarms:get', alarms.showAlarm),
  ces('PUT', '/alarms/{id}', 'alarms:put', alarms.updateAlarm),
  ces('PUT', '/alarms/{id}/action', 'alarmsOnOff:put', alarms.switchAlarm),
  ces('DELETE', '/alarms/{id}', 'alarms:delete', alarms.deleteAlarm),
  ces('GET', '/alarm-histories', 'alarmHistory:list', alarms.listRecords),
  ces('GET', '/metrics', 'metrics:list', data.listMetrics),
  ces('GET', '/metric-data', 'metricData:list', data.showMetricData),
  ces('POST', '/batch-query-metric-data', 'metricData:list', data.queryMetricData),
];
