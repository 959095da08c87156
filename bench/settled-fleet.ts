// A fleet at rest: the hook call that Metacontroller would send for each Rds, and the cloud that fits to them.
// One Rds lives through the local loop; the others are copies of it with names and ids of their own.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { RdsSpec } from '../src/rds/spec.ts';
import { createWorld, MINUTE } from '../test/support/world.ts';

export type SettledFleet = {
  /** The /sync call of one of them; ten thousand at once would fill the client's memory. */
  body(number: number): string;
  /** The simulated cloud, as its state file. */
  cloud: string;
};

type Body = {
  controller: object;
  parent: { metadata: { uid: string }; status: { id: string; phase: string } };
  children: Record<string, Record<string, { data?: Record<string, string> }>>;
};

type Saved = {
  world: {
    instances: Record<string, unknown>;
    backups: Record<string, { id: string }>;
    alarms: Record<string, { id: string }>;
  };
};

const NAME = 'db-000000';

const SPEC = {
  availabilityzone: 'eu-de-01',
  backupkeepdays: 12,
  backupstarttime: '01:00-02:00',
  datastoretype: 'MySQL' as const,
  datastoreversion: '8.0',
  flavorref: 'rds.mysql.n1.large.2',
  passwordSecretRef: { name: 'root-password', key: 'password' },
  port: '3306',
  region: 'eu-de',
  securitygroup: 'default',
  subnet: 'default',
  volumesize: 40,
  volumetype: 'CLOUDSSD' as const,
  vpc: 'default',
};

const WATCHED = {
  ...SPEC,
  autopilot: { mode: 'Act' as const, storage: { thresholdPercent: 80, stepGb: 10, maxGb: 200 } },
};

/** Each lived once for all figures. */
const templates = new Map<string, ReturnType<typeof settledOne>>();

export type FleetKind = {
  autopilot?: boolean;
  /** At rest now, for programs that have a real clock: what is days old would be told as a problem at every sync. */
  isNow?: boolean;
};

/** An Rds needs less than this to come to rest. */
const LIFE_MS = 20 * MINUTE;

export async function settledFleet(count: number, kind: FleetKind = {}): Promise<SettledFleet> {
  const spec = kind.autopilot ? WATCHED : SPEC;
  const key = JSON.stringify(kind);
  const template = templates.get(key) ?? settledOne(spec, kind.isNow ? Date.now() - LIFE_MS : undefined);
  templates.set(key, template);
  const { body, cloud } = await template;
  const { uid } = body.parent.metadata;
  const { id } = body.parent.status;
  const text = JSON.stringify(body);
  const saved = JSON.parse(cloud) as Saved;
  const instance = JSON.stringify(saved.world.instances[id]);
  const backups = Object.values(saved.world.backups);
  const alarms = Object.values(saved.world.alarms);
  const one = {
    uid,
    id,
    alarmIds: alarms.map((alarm) => alarm.id),
    backupIds: backups.map((backup) => backup.id),
    encoded: encodedNames(body),
  };
  for (let number = 0; number < count; number += 1) {
    const copy = copier(one, number);
    saved.world.instances[copy(id)] = JSON.parse(copy(instance));
    for (const backup of backups) {
      saved.world.backups[copy(backup.id)] = JSON.parse(copy(JSON.stringify(backup)));
    }
    for (const alarm of alarms) {
      saved.world.alarms[copy(alarm.id)] = JSON.parse(copy(JSON.stringify(alarm)));
    }
  }
  return { body: (number) => copier(one, number)(text), cloud: JSON.stringify(saved) };
}

type Ids = {
  uid: string;
  id: string;
  alarmIds: readonly string[];
  backupIds: readonly string[];
  /** Values of Secrets in which the name stands. */
  encoded: readonly string[];
};

function encodedNames({ children }: Body): string[] {
  const secrets = Object.values(children['Secret.v1'] ?? {}).flatMap(({ data }) => Object.values(data ?? {}));
  return secrets.filter((value) => decoded(value).includes(NAME));
}

const decoded = (value: string) => Buffer.from(value, 'base64').toString();

/** Everything that tells one Rds from another, wherever it is written. */
function copier({ uid, id, alarmIds, backupIds, encoded }: Ids, number: number): (text: string) => string {
  const digits = number.toString(16).padStart(8, '0');
  const name = `db-${`${number}`.padStart(6, '0')}`;
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const short = uid.replaceAll('-', '').slice(0, 12);
  const pairs = [
    [NAME, name],
    ...encoded.map((value) => [value, encode(decoded(value).replaceAll(NAME, name))] as const),
    [uid, `${digits}${uid.slice(8)}`],
    [short, `${digits}${short.slice(8)}`],
    ...[id, ...backupIds].map((one) => [one, `${digits}${one.slice(8)}`] as const),
    // `al`, a time, and what tells the alarms of one moment apart.
    ...alarmIds.map((alarmId) => [alarmId, `al${digits}${alarmId.slice(10)}`] as const),
  ] as const;
  return (text) => pairs.reduce((copy, [from, to]) => copy.replaceAll(from, to), text);
}

async function settledOne(spec: RdsSpec, startsAt?: number): Promise<{ body: Body; cloud: string }> {
  const world = await createWorld(startsAt === undefined ? {} : { startsAt });
  try {
    await world.secret('root-password', { password: 'Chang3-me_now' });
    // kubectl apply without --server-side leaves this annotation, and it is a good part of the body.
    const applied = {
      apiVersion: 'otc.mcsps.de/v1alpha1',
      kind: 'Rds',
      metadata: { name: NAME },
      spec,
    };
    await world.apply(NAME, spec, {
      'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(applied)}\n`,
    });
    await world.reaches(NAME, 'Ready');
    await world.clock.advance(10 * MINUTE);
    const last = world.calls.findLast(({ path }) => path.endsWith('/sync'));
    const body = last?.body as Body | undefined;
    if (body?.parent.status.phase !== 'Ready') throw new Error('the Rds did not settle');
    return { body: inOrder({ ...body, controller: storedController() }), cloud: world.simulator.save() };
  } finally {
    await world.stop();
  }
}

/** Members of the call stay as they are; the keys of every object in it come sorted from Metacontroller. */
function inOrder(body: Body): Body {
  const sorted = (_key: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return Object.fromEntries(
    Object.entries(body).map(([member, value]) => [member, JSON.parse(JSON.stringify(value, sorted))]),
  ) as Body;
}

/** As the API server keeps it after kubectl apply; the local loop sends the bare manifest. */
function storedController(): object {
  const file = new URL('../metacontroller/controller.yaml', import.meta.url);
  const manifest = parse(readFileSync(file, 'utf8')) as { metadata: object; spec: object };
  return {
    ...manifest,
    metadata: {
      ...manifest.metadata,
      uid: '1a8b8d56-1459-47bf-8331-c72ad2dd8d7f',
      resourceVersion: '225',
      generation: 1,
      creationTimestamp: '2026-11-16T08:00:00Z',
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(manifest)}\n` },
      managedFields: [
        {
          manager: 'kubectl-client-side-apply',
          operation: 'Update',
          apiVersion: 'metacontroller.k8s.io/v1alpha1',
          time: '2026-11-16T08:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: { 'f:spec': fieldSet(manifest.spec) },
        },
      ],
    },
  };
}

function fieldSet(value: unknown): object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [`f:${name}`, fieldSet(field)]));
}
