// The calls of RDS, each with the IAM action it needs.
import type { Endpoint, Route } from '../protocol.ts';
import * as actions from './actions.ts';
import * as policy from './backup-policy.ts';
import * as backups from './backups.ts';
import * as configurations from './configurations.ts';
import { createInstance } from './create.ts';
import { deleteInstance } from './delete-instance.ts';
import * as expansion from './disk-expansion.ts';
import * as ha from './high-availability.ts';
import * as parameters from './instance-parameters.ts';
import * as settings from './instance-settings.ts';
import { listTasks, showJob } from './jobs.ts';
import { listInstances } from './list-instances.ts';
import * as logs from './logs.ts';
import * as lookups from './lookups.ts';
import * as network from './network-changes.ts';
import { shutDown, startUp } from './power.ts';
import { recoverWith } from './recovery.ts';
import * as bin from './recycle-bin.ts';
import { listRestoreTimes } from './restore-time.ts';
import * as tags from './tags.ts';
import * as upgrades from './upgrades.ts';

const rds = (method: string, template: string, action: Route['action'], answer: Endpoint): Route => ({
  service: 'rds',
  method,
  template,
  answer,
  ...(action && { action }),
});

const project = (method: string, path: string, action: string, answer: Endpoint) =>
  rds(method, `/v3/{project}${path}`, action && `rds:${action}`, answer);

const instance = (method: string, path: string, action: string, answer: Endpoint) =>
  project(method, `/instances/{id}${path}`, action, answer);

export const rdsRoutes: Route[] = [
  project('GET', '/instances', 'instance:list', listInstances),
  project('POST', '/instances', 'instance:create', createInstance),
  instance('DELETE', '', 'instance:delete', deleteInstance),
  rds('POST', '/v3/{project}/instances/{id}/action', actions.actionOfVerb, actions.act),
  instance('POST', '/action/startup', 'instance:start', startUp),
  instance('POST', '/action/shutdown', 'instance:stop', shutDown),
  instance('PUT', '/failover', 'instance:switchover', ha.failOver),
  instance('PUT', '/failover/mode', 'instance:modifySynchronizeModel', ha.setReplicationMode),
  instance('PUT', '/failover/strategy', 'instance:modifyStrategy', ha.setStrategy),
  instance('POST', '/migrateslave', 'instance:create', ha.migrateStandby),
  instance('GET', '/replication/status', 'instance:list', ha.showReplicationStatus),
  instance('POST', '/password', 'password:update', settings.resetPassword),
  instance('PUT', '/name', 'instance:modify', settings.rename),
  instance('PUT', '/alias', 'instance:modify', settings.setAlias),
  instance('PUT', '/ssl', 'instance:modifySSL', settings.switchSsl),
  instance('GET', '/ssl-cert/download-link', 'instance:list', settings.showCertificateLink),
  instance('PUT', '/ops-window', 'instance:modify', settings.setMaintenanceWindow),
  instance('PUT', '/public-ip', 'instance:modifyPublicAccess', settings.bindPublicIp),
  instance('PUT', '/port', 'instance:modifyPort', network.changePort),
  instance('PUT', '/ip', 'instance:modifyIp', network.changeIp),
  instance('PUT', '/security-group', 'instance:modifySecurityGroup', network.changeSecurityGroup),
  instance('POST', '/create-dns', 'instance:createDns', network.setDnsName),
  instance('PUT', '/modify-dns', 'instance:createDns', network.setDnsName),
  instance('GET', '/dns', 'instance:list', network.showDnsName),
  instance('GET', '/disk-auto-expansion', 'instance:list', expansion.showDiskExpansion),
  instance('PUT', '/disk-auto-expansion', 'instance:extendSpace', expansion.setDiskExpansion),
  instance('POST', '/db-upgrade', 'instance:modify', upgrades.upgradeMinor),
  instance('GET', '/major-version/available-version', 'instance:list', upgrades.listMajorVersions),
  instance('POST', '/major-version/inspection', 'instance:modify', upgrades.inspectForUpgrade),
  instance('GET', '/major-version/status', 'instance:list', upgrades.showUpgradeStatus),
  instance('POST', '/major-version/upgrade', 'instance:modify', upgrades.upgradeMajor),
  instance('GET', '/major-version/inspection-histories', 'instance:list', upgrades.listInspections),
  instance('GET', '/major-version/upgrade-histories', 'instance:list', upgrades.listUpgrades),

  instance('GET', '/backups/policy', 'instance:list', policy.showBackupPolicy),
  instance('PUT', '/backups/policy', 'instance:modifyBackupPolicy', policy.setBackupPolicy),
  project('POST', '/backups', 'backup:create', backups.createBackup),
  project('GET', '/backups', 'backup:list', backups.listBackups),
  project('DELETE', '/backups/{id}', 'backup:delete', backups.deleteBackup),
  project('GET', '/backup-files', 'backup:download', backups.listBackupFiles),
  instance('GET', '/restore-time', 'instance:list', listRestoreTimes),
  project('POST', '/instances/recovery', 'instance:restoreInPlace', recoverWith(200)),
  rds('POST', '/v3.1/{project}/instances/recovery', 'rds:instance:restoreInPlace', recoverWith(202)),

  project('GET', '/instances/recycle-policy', 'instance:list', bin.showRecyclePolicy),
  project('PUT', '/instances/recycle-policy', 'instance:setRecycleBin', bin.setRecyclePolicy),
  project('GET', '/recycle-instances', 'instance:list', bin.listRecycled),

  project('GET', '/datastores/{db}', '', lookups.listDatastores),
  project('GET', '/flavors/{db}', '', lookups.listFlavors),
  project('GET', '/storage-type/{db}', '', lookups.listStorageTypes),
  instance('GET', '/flavors-resize', 'instance:list', lookups.listResizeFlavors),
  instance('GET', '/storage-used-space', 'instance:list', lookups.showUsedSpace),
  project('GET', '/quotas', 'instance:list', lookups.showQuotas),
  project('GET', '/collations', '', lookups.listCollations),

  project('GET', '/configurations', 'param:list', configurations.listTemplates),
  project('POST', '/configurations', 'param:create', configurations.createTemplate),
  project('GET', '/configurations/{id}', 'param:list', configurations.showTemplate),
  project('PUT', '/configurations/{id}', 'param:modify', configurations.updateTemplate),
  project('DELETE', '/configurations/{id}', 'param:delete', configurations.deleteTemplate),
  project('PUT', '/configurations/{id}/apply', 'param:apply', configurations.applyTemplate),
  instance('GET', '/configurations', 'param:list', parameters.showParameters),
  instance('PUT', '/configurations', 'param:modify', parameters.changeParameters),

  instance('GET', '/errorlog', 'log:list', logs.listErrorLog),
  instance('GET', '/slowlog', 'log:list', logs.listSlowLog),
  instance('POST', '/slowlog-download', 'log:download', logs.prepareDownload('slowlog')),
  instance('POST', '/errorlog-download', 'log:download', logs.prepareDownload('errorlog')),
  rds('POST', '/v3.1/{project}/instances/{id}/slow-logs/statistics', 'rds:log:list', logs.slowLogStatistics),

  instance('POST', '/tags/action', 'instance:modify', tags.changeTags),
  instance('GET', '/tags', 'instance:list', tags.showTags),
  project('GET', '/tags', 'instance:list', tags.listProjectTags),
  rds('GET', '/v1/{project}/rds/{id}/tags', 'rds:instance:list', tags.showTags),
  rds('POST', '/v1/{project}/rds/{id}/tags', 'rds:instance:modify', tags.addTagV1),
  rds('DELETE', '/v1/{project}/rds/{id}/tags', 'rds:instance:modify', tags.removeTagV1),

  project('GET', '/jobs', 'task:list', showJob),
  project('GET', '/tasklist', 'task:list', listTasks),
];
