// What the list of instances does not tell, read only where the spec asks for it: most Rds cost nothing here.

import { CloudError, UserError } from '../errors.ts';
import type { Cloud, Instance } from '../otc/cloud.ts';
import { nameKind, oldAlarmNames, oldInstanceName, replicaName } from '../rds/names.ts';
import type { Details, Observed } from './decide/observed.ts';
import { readWatch } from './watch-look.ts';

/** Parameters are read one instance at a time, so what is settled is looked at rarely. */
const PARAMETERS_SECONDS = 6 * 3_600;
const BACKUPS_SECONDS = 6 * 3_600;
const ALARMS_SECONDS = 600;

type Asked = Pick<Observed, 'rds' | 'spec' | 'userSet' | 'nowMs'>;

export type Look = {
  /** `fresh`: for a decision that may write. */
  how: 'shared' | 'fresh';
  /** The cloud's clock, where it is known. */
  at?: number;
  /** Name in the spec -> instance id. */
  replicas: Readonly<Record<string, string>>;
  snapshotSeconds: number;
  /** Alarms of the autopilot may be there, whatever the spec says now. */
  watched?: boolean;
};

export async function readDetails(
  cloud: Cloud,
  asked: Asked,
  instance: Instance,
  look: Look,
): Promise<Details> {
  const { spec, userSet } = asked;
  const details: Details = {};
  if (userSet.has('securitygroup')) details.securityGroup = await wantedGroup(cloud, spec.securitygroup);
  if (Object.keys(spec.parameters ?? {}).length > 0 && instance.ip !== undefined) {
    details.parameters = await cloud.parameters(instance.id, look.how === 'fresh' ? 0 : PARAMETERS_SECONDS);
  }
  if (instance.ip !== undefined && instance.backupKeepDays > 0)
    details.backups = await cloud.backupsLately(instance.id, BACKUPS_SECONDS);
  if (isOldStyle(asked, instance)) details.oldAlarms = await oldAlarms(cloud, asked);
  const names = [
    ...new Set([...(spec.readReplicas ?? []).map(({ name }) => name), ...Object.keys(look.replicas)]),
  ];
  if (names.length > 0) details.replicas = await readReplicas(cloud, asked, names, look);
  if (names.length > 0 || (userSet.has('flavorref') && spec.flavorref !== instance.flavor))
    details.flavors = await cloud.flavors(instance.engine, instance.version);
  return { ...details, ...(await readWatch(cloud, asked, instance, details, look)) };
}

function isOldStyle({ rds }: Asked, { name }: Instance): boolean {
  const { namespace, name: own, uid } = rds.metadata;
  return name === oldInstanceName(namespace, own) && nameKind(name, namespace, own, uid) === 'old';
}

/** Only to tell people, so a missing right to see alarms costs nothing but that. */
async function oldAlarms(cloud: Cloud, { rds }: Asked): Promise<Details['oldAlarms']> {
  try {
    const { byName } = await cloud.alarms(ALARMS_SECONDS);
    return oldAlarmNames(rds.metadata.namespace, rds.metadata.name).flatMap((name) => byName.get(name) ?? []);
  } catch (error) {
    if (error instanceof CloudError) return undefined;
    throw error;
  }
}

async function wantedGroup(cloud: Cloud, name: string): Promise<Details['securityGroup']> {
  try {
    return { id: await cloud.securityGroup(name) };
  } catch (error) {
    // A typo concerns this one field; the rest of the database is managed on.
    if (error instanceof UserError) return { unknown: error.message };
    throw error;
  }
}

async function readReplicas(
  cloud: Cloud,
  { rds }: Asked,
  names: readonly string[],
  look: Look,
): Promise<Instance[]> {
  const found: Instance[] = [];
  const snapshot = look.how === 'shared' ? await cloud.snapshot(look.snapshotSeconds) : undefined;
  for (const name of names) {
    const id = look.replicas[name];
    const full = replicaName(rds.metadata.uid, name);
    if (snapshot) {
      const known = id === undefined ? undefined : snapshot.byId.get(id);
      found.push(...(known ? [known] : (snapshot.byName.get(full) ?? [])));
    } else if (id !== undefined) {
      const { value } = await cloud.findInstanceById(id);
      if (value) found.push(value);
    } else {
      found.push(...(await cloud.findInstancesByName(full)).value);
    }
  }
  return found;
}
