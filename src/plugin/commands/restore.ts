// `restore`: a new Rds from a backup or a point in time. It never touches the database that the data comes from.

import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { RdsSpec } from '../../rds/spec.ts';
import { specProblems } from '../../rds/validate.ts';
import { API, type BackupObject, type Cluster, type RdsObject } from '../cluster.ts';
import { type Command, type Given, json, textFlag, YES } from '../command.ts';
import { EXIT, Failure, usage } from '../failure.ts';
import { didYouMean } from '../near-names.ts';
import { type Manifest, restoreManifest } from '../restore-manifest.ts';

type RestoreFrom = NonNullable<RdsSpec['restoreFrom']>;

export const restore: Command = {
  name: 'restore',
  summary: 'make a new database from a backup or from a point in time',
  synopsis:
    'NEW (--backup RDSBACKUP | --rds RDS --at TIME | --backup-id ID --instance-id ID) [--like RDS | --file FILE] [--dry-run]',
  text: 'The new Rds takes machine, disk, network and users from the Rds that the backup is of, from another one (--like) or from a manifest (--file), and gets a root password of its own. With --dry-run the manifest is printed and nothing is made.',
  takes: [1, 1],
  options: {
    backup: { takes: 'RDSBACKUP', means: 'an RdsBackup of this namespace' },
    rds: { takes: 'RDS', means: 'an Rds of this namespace, with --at' },
    at: { takes: 'TIME', means: 'point in time with offset, as in 2026-11-16T08:00:00Z' },
    'backup-id': { takes: 'ID', means: 'a backup of the cloud, with --instance-id' },
    'instance-id': { takes: 'ID', means: 'the instance that it is of, also when that is gone' },
    like: { takes: 'RDS', means: 'take machine, disk and network from this Rds' },
    file: { short: 'f', takes: 'FILE', means: 'take them from this manifest' },
    'dry-run': { means: 'print the manifest only' },
    yes: YES,
  },
  outputs: ['table', 'json', 'yaml'],
  async run(given, world) {
    const [name = ''] = given.names;
    const restoreFrom = sourceOf(given);
    const cluster = await world.connect();
    const { namespace } = cluster;
    const pattern = await patternOf(given, cluster, restoreFrom);
    const manifest = restoreManifest(pattern, { name, namespace }, restoreFrom);
    refuseBad(manifest);
    const text = given.output === 'json' ? json(manifest) : stringify(manifest, { lineWidth: 110 });
    world.out(text);
    if (given.flags['dry-run'] === true) return 0;
    if (
      given.flags.yes !== true &&
      !(await world.confirm(`Make the new database ${namespace}/${name}? It costs money from then on.`))
    ) {
      world.tell('Nothing was made.');
      return EXIT.failed;
    }
    await cluster.create(`${API}/namespaces/${encodeURIComponent(namespace)}/rdss`, manifest);
    world.tell(
      `Rds ${namespace}/${name} is made; the data comes with it. Watch: kubectl rds status ${name} -n ${namespace}`,
    );
    return 0;
  },
};

function sourceOf(given: Given): RestoreFrom {
  const flag = (name: string) => textFlag(given, name);
  const [backup, rds, at, backupId, instanceId] = ['backup', 'rds', 'at', 'backup-id', 'instance-id'].map(
    flag,
  );
  const help =
    'Name one source: --backup RDSBACKUP, or --rds RDS --at TIME, or --backup-id ID --instance-id ID.';
  if ([backup, rds, backupId].filter((one) => one !== undefined).length !== 1)
    throw usage('Which data?', help);
  if (backup !== undefined) return { backup };
  if (backupId !== undefined) {
    if (instanceId === undefined)
      throw usage('--backup-id needs --instance-id.', 'The cloud finds a backup only through its instance.');
    return { backupId, instanceId };
  }
  if (at === undefined) throw usage('--rds needs --at TIME.', help);
  if (!/(?:Z|[+-]\d\d:\d\d)$/i.test(at) || Number.isNaN(Date.parse(at)))
    throw usage(
      `--at ${at} is not a time with an offset.`,
      'Write it as in 2026-11-16T08:00:00Z or 2026-11-16T09:00:00+01:00.',
    );
  return { rds: rds ?? '', pointInTime: at };
}

/** Where machine, disk and network come from. */
async function patternOf(
  given: Given,
  cluster: Cluster,
  from: RestoreFrom,
): Promise<Pick<RdsObject, 'spec' | 'status'>> {
  const file = textFlag(given, 'file');
  if (file !== undefined) return { spec: specOf(file) };
  const like = textFlag(given, 'like') ?? from.rds;
  if (like !== undefined) return cluster.rds(like);
  const help = 'Say what the new one should be like: --like RDS or --file MANIFEST.';
  if (from.backup === undefined) throw usage('A backup id does not tell machine, disk and network.', help);
  const rds = await rdsOfBackup(cluster, from.backup);
  const found = rds === undefined ? undefined : await cluster.rds(rds).catch(() => undefined);
  if (found) return found;
  throw new Failure(EXIT.notFound, `The Rds that backup ${from.backup} is of is gone.`, help);
}

async function rdsOfBackup(cluster: Cluster, name: string): Promise<string | undefined> {
  const path = `${API}/namespaces/${encodeURIComponent(cluster.namespace)}/rdsbackups`;
  const backup = await cluster.find<BackupObject>(`${path}/${encodeURIComponent(name)}`);
  if (!backup) {
    const known = (await cluster.list<BackupObject>(path)).map(({ metadata }) => metadata.name);
    const remedy = didYouMean(
      name,
      known,
      known.length > 0 ? `There are: ${known.join(', ')}.` : 'Make one: kubectl rds backup NAME',
    );
    throw new Failure(
      EXIT.notFound,
      `There is no RdsBackup ${name} in namespace ${cluster.namespace}.`,
      remedy,
    );
  }
  if (backup.status?.phase !== 'Completed')
    throw new Failure(EXIT.failed, `Backup ${name} is not complete: ${backup.status?.phase ?? 'Pending'}.`);
  return backup.spec.rds;
}

function specOf(file: string): RdsSpec {
  let object: { kind?: unknown; spec?: RdsSpec } | null;
  try {
    object = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw usage(`${file} cannot be read: ${(error as Error).message.split('\n')[0]}`);
  }
  if (object?.kind !== 'Rds')
    throw usage(`${file} holds no Rds.`, 'Name a file with one manifest of the kind Rds.');
  return object.spec ?? {};
}

function refuseBad({ spec }: Manifest): void {
  const [problem] = specProblems(spec);
  if (problem) throw new Failure(EXIT.failed, `This would not work: ${problem.field}: ${problem.message}`);
}
