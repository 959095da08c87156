// `backup`: an RdsBackup object, watched until it is complete, with the recipe for the way back.

import type { KubeObject } from '../../kube/api.ts';
import { API, API_VERSION, type BackupObject } from '../cluster.ts';
import { type Command, json, NO_WAIT, TIMEOUT, textFlag } from '../command.ts';
import { EXIT, Failure } from '../failure.ts';
import { conditionOf } from '../rds-view.ts';
import { timeoutOf, waitFor } from '../wait.ts';

const PATIENCE_MS = 2 * 3_600_000;

export const backup: Command = {
  name: 'backup',
  summary: 'make a backup now and wait until it is complete',
  synopsis: 'NAME [--name BACKUP] [--description TEXT] [--no-wait]',
  text: 'Creates an RdsBackup. Deleting that object keeps the backup in the cloud, unless it is given deletionPolicy: Delete. A backup that fails is not tried again: run the command again.',
  takes: [1, 1],
  completes: 'rds',
  options: {
    name: { takes: 'BACKUP', means: 'name of the RdsBackup; NAME and the time by default' },
    description: { takes: 'TEXT', means: 'free text that is kept with the backup' },
    'no-wait': NO_WAIT,
    timeout: TIMEOUT,
  },
  outputs: ['table', 'json'],
  async run(given, world) {
    const [name = ''] = given.names;
    const timeoutMs = timeoutOf(given.flags.timeout, PATIENCE_MS);
    const cluster = await world.connect();
    const { metadata, spec } = await cluster.rds(name);
    const { namespace } = metadata;
    const stamp = new Date(world.clock.now()).toISOString().replace(/\D/g, '').slice(0, 14);
    const description = textFlag(given, 'description');
    const object: KubeObject = {
      apiVersion: API_VERSION,
      kind: 'RdsBackup',
      metadata: { name: textFlag(given, 'name') ?? `${name}-${stamp}`, namespace },
      spec: {
        rds: name,
        ...(description === undefined ? {} : { description }),
        ...(spec.credentialsSecretRef ? { credentialsSecretRef: spec.credentialsSecretRef } : {}),
      },
    };
    const path = `${API}/namespaces/${encodeURIComponent(namespace)}/rdsbackups`;
    const { metadata: made } = await cluster.create<BackupObject>(path, object);
    if (given.flags['no-wait'] === true) {
      world.out(
        given.output === 'json'
          ? json({ namespace, name: made.name })
          : `RdsBackup ${namespace}/${made.name} is ordered.\n`,
      );
      return 0;
    }
    const { status = {} } = await waitFor(world, {
      what: `Backup ${made.name}`,
      timeoutMs,
      read: async () => {
        const found = await cluster.find<BackupObject>(`${path}/${made.name}`);
        if (found) return found;
        throw new Failure(EXIT.notFound, `RdsBackup ${namespace}/${made.name} was deleted meanwhile.`);
      },
      isOver: ({ status }) => status?.phase === 'Completed' || status?.phase === 'Failed',
      describe: ({ status = {} }) => conditionOf(status, 'Ready')?.message,
    });
    if (status.phase === 'Failed')
      throw new Failure(
        EXIT.failed,
        `Backup ${made.name} failed: ${status.failure ?? 'the cloud gives no reason'}`,
        'See: kubectl rds explain BackupFailed',
      );
    const { id, instanceId, sizeKb, beginTime, endTime, restoreFrom } = status;
    if (given.output === 'json') {
      world.out(
        json({ namespace, name: made.name, id, instanceId, sizeKb, beginTime, endTime, restoreFrom }),
      );
    } else {
      world.out(
        `RdsBackup ${namespace}/${made.name} is complete: ${Math.ceil((sizeKb ?? 0) / 1024)} MB, ${beginTime} to ${endTime}.\n` +
          `Restore: kubectl rds restore NEW --backup ${made.name} -n ${namespace}\n` +
          `Without this cluster: spec.restoreFrom: ${restoreFrom}\n`,
      );
    }
    return 0;
  },
};
