// A fleet at rest: the hook call that Metacontroller would send for each Rds, and the cloud that fits to them.
// One Rds lives through the local loop; the others are copies of it with names and ids of their own.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
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
};

type Saved = {
  world: { instances: Record<string, unknown>; backups: Record<string, { id: string; instanceId: string }> };
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

/** Lived once for all figures. */
let template: ReturnType<typeof settledOne> | undefined;

export async function settledFleet(count: number): Promise<SettledFleet> {
  template ??= settledOne();
  const { body, cloud } = await template;
  const { uid } = body.parent.metadata;
  const { id } = body.parent.status;
  const text = JSON.stringify(body);
  const saved = JSON.parse(cloud) as Saved;
  const instance = JSON.stringify(saved.world.instances[id]);
  const backups = Object.values(saved.world.backups);
  for (let number = 0; number < count; number += 1) {
    const copy = copier({ uid, id }, number);
    saved.world.instances[copy(id)] = JSON.parse(copy(instance));
    for (const backup of backups) {
      const backupId = `${number}-${backup.id}`;
      saved.world.backups[backupId] = { ...backup, id: backupId, instanceId: copy(id) };
    }
  }
  return { body: (number) => copier({ uid, id }, number)(text), cloud: JSON.stringify(saved) };
}

/** Everything that tells one Rds from another, wherever it is written. */
function copier({ uid, id }: { uid: string; id: string }, number: number): (text: string) => string {
  const digits = number.toString(16).padStart(8, '0');
  const short = uid.replaceAll('-', '').slice(0, 12);
  const pairs = [
    [NAME, `db-${`${number}`.padStart(6, '0')}`],
    [uid, `${digits}${uid.slice(8)}`],
    [short, `${digits}${short.slice(8)}`],
    [id, `${digits}${id.slice(8)}`],
  ] as const;
  return (text) => pairs.reduce((copy, [from, to]) => copy.replaceAll(from, to), text);
}

async function settledOne(): Promise<{ body: Body; cloud: string }> {
  const world = await createWorld();
  try {
    await world.secret('root-password', { password: 'Chang3-me_now' });
    // kubectl apply without --server-side leaves this annotation, and it is a good part of the body.
    const applied = {
      apiVersion: 'otc.mcsps.de/v1alpha1',
      kind: 'Rds',
      metadata: { name: NAME },
      spec: SPEC,
    };
    await world.apply(NAME, SPEC, {
      'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify(applied)}\n`,
    });
    await world.reaches(NAME, 'Ready');
    await world.clock.advance(5 * MINUTE);
    const last = world.calls.findLast(({ path }) => path.endsWith('/sync'));
    const body = last?.body as Body | undefined;
    if (body?.parent.status.phase !== 'Ready') throw new Error('the Rds did not settle');
    return { body: { ...body, controller: storedController() }, cloud: world.simulator.save() };
  } finally {
    await world.stop();
  }
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
