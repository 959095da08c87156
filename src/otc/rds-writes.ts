// The RDS calls that change something. Each sends its request once; what a failure means is in the error.

import { CloudError } from '../errors.ts';
import type { Call } from './call.ts';
import type { Cloud } from './cloud.ts';
import { type Json, need, objectOf, textOf } from './json.ts';
import { readJobId, readTags, writeNewInstance, writeNewReplica, writeRestorePoint } from './rds-wire.ts';

const tagExists = 'DBS.200098';

type RdsWrites = Pick<
  Cloud,
  | 'createInstance'
  | 'deleteInstance'
  | 'createBackup'
  | 'deleteBackup'
  | 'restoreInPlace'
  | 'restartInstance'
  | 'createReplica'
  | 'resetPassword'
  | 'tagInstance'
  | 'untagInstance'
>;

export function createRdsWrites(call: Call): RdsWrites {
  const post = async <T>(
    path: string,
    body: Json,
    read: (body: Json) => T,
    id = '',
    secrets: string[] = [],
  ) => (await call({ service: 'rds', method: 'POST', path, params: { id }, body, secrets, read })).value;

  const act = (id: string, action: Json) => post('/instances/{id}/action', action, readJobId, id);

  const changeTags = (id: string, action: 'create' | 'delete', tags: Json[]): Promise<void> =>
    post('/instances/{id}/tags/action', { action, tags }, () => {}, id);

  return {
    createInstance(wanted) {
      const read = (body: Json) => ({
        id: need(textOf(objectOf(body, 'instance'), 'id'), 'instance.id'),
        ...readJobId(body),
      });
      return post('/instances', writeNewInstance(wanted), read, '', [wanted.password]);
    },

    async deleteInstance(id) {
      const path = '/instances/{id}';
      return (await call({ service: 'rds', method: 'DELETE', path, params: { id }, read: readJobId })).value;
    },

    createBackup({ instanceId, name, description }) {
      const read = (body: Json) => ({ id: need(textOf(objectOf(body, 'backup'), 'id'), 'backup.id') });
      return post('/backups', { instance_id: instanceId, name, description }, read);
    },

    async deleteBackup(id) {
      const path = '/backups/{id}';
      await call({ service: 'rds', method: 'DELETE', path, params: { id }, read: () => {} });
    },

    restoreInPlace(id, time) {
      const source = writeRestorePoint({ instanceId: id, time });
      return post('/instances/recovery', { source, target: { instance_id: id } }, readJobId);
    },

    restartInstance: (id) => act(id, { restart: {} }),

    createReplica(wanted) {
      const read = (body: Json) => ({
        id: need(textOf(objectOf(body, 'instance'), 'id'), 'instance.id'),
        ...readJobId(body),
      });
      return post('/instances', writeNewReplica(wanted), read);
    },

    resetPassword: (id, password) =>
      post('/instances/{id}/password', { db_user_pwd: password }, () => {}, id, [password]),

    async tagInstance(id, tags) {
      try {
        await changeTags(id, 'create', pairs(tags));
      } catch (error) {
        if (!(error instanceof CloudError) || error.code !== tagExists) throw error;
        const missing = await missingTags(call, id, tags, error);
        if (missing.length > 0) await changeTags(id, 'create', missing);
      }
    },

    async untagInstance(id, keys) {
      const tags = keys.map((key) => ({ key }));
      await changeTags(id, 'delete', tags);
    },
  };
}

/** Tagging must be repeatable; a tag that stands with another value is the caller's to judge. */
async function missingTags(
  call: Call,
  id: string,
  wanted: Record<string, string>,
  refusal: CloudError,
): Promise<Json[]> {
  const path = '/instances/{id}/tags';
  const { value: present } = await call({
    service: 'rds',
    method: 'GET',
    path,
    params: { id },
    read: readTags,
  });
  const isOther = ([key, value]: [string, string]) => key in present && present[key] !== value;
  if (Object.entries(wanted).some(isOther)) throw refusal;
  return pairs(wanted).filter(({ key }) => !(key in present));
}

function pairs(tags: Record<string, string>): { key: string; value: string }[] {
  return Object.entries(tags).map(([key, value]) => ({ key, value }));
}
