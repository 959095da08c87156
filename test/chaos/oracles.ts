// The judgement, on evidence alone. What was done twice, lost or done unasked can never be made good and is looked
// for all the time; what is merely not yet as wanted must be so when it has been calm for a while.
import { ANNOTATIONS, connectionSecretName, UID_TAG, uidDigits, uidDigitsIn } from '../../src/rds/names.ts';
import type { Evidence } from './evidence.ts';
import type { Incarnation } from './people.ts';

const eventsOf = ({ events }: Evidence, kind: string, digits: string) =>
  events.filter((event) => event.kind === kind && uidDigitsIn(event.name) === digits);

const who = ({ name, uid }: Incarnation): string => `${name} (${uid})`;

/** The cloud's history counts, not what is left at the end. */
function doubled({ events }: Evidence): string[] {
  const creates = events.filter(({ kind }) => kind === 'create');
  return [...Map.groupBy(creates, ({ name }) => uidDigitsIn(name) ?? name)]
    .filter(([, made]) => made.length > 1)
    .map(
      ([, made]) =>
        `two instances for one Rds: ${made.map(({ name, instanceId, at }) => `${name} ${instanceId} at ${new Date(at).toISOString()}`).join(', ')}`,
    );
}

function deletedWithoutBackup(evidence: Evidence, rds: Incarnation): string[] {
  const digits = uidDigits(rds.uid);
  return eventsOf(evidence, 'delete', digits)
    .filter(
      ({ at, instanceId }) =>
        !evidence.backups.some(
          (backup) =>
            backup.instanceId === instanceId &&
            backup.name.startsWith(`final-${digits}-`) &&
            backup.status === 'COMPLETED' &&
            backup.endAt !== undefined &&
            backup.endAt <= at,
        ),
    )
    .map(
      ({ instanceId }) =>
        `${who(rds)}: instance ${instanceId} was deleted before its final backup was complete`,
    );
}

function doneUnasked(evidence: Evidence, rds: Incarnation): string[] {
  const digits = uidDigits(rds.uid);
  const asked = {
    restart: rds.restarts.length,
    resize: rds.flavors,
    enlarge: rds.grows,
    delete: rds.isDeleted ? 1 : 0,
  };
  return Object.entries(asked).flatMap(([kind, orders]) => {
    const times = eventsOf(evidence, kind, digits).length;
    return times > orders ? [`${who(rds)}: ${times} times ${kind}, ordered ${orders} times`] : [];
  });
}

/** Never to be made good. */
export const harm = (evidence: Evidence): string[] => [
  ...doubled(evidence),
  ...evidence.incarnations.flatMap((rds) => [
    ...doneUnasked(evidence, rds),
    ...deletedWithoutBackup(evidence, rds),
  ]),
];

function leaked({ instances, incarnations }: Evidence): string[] {
  const living = new Set(incarnations.filter(({ isDeleted }) => !isDeleted).map(({ uid }) => uidDigits(uid)));
  return instances
    .filter(({ name }) => !living.has(uidDigitsIn(name) ?? ''))
    .map(({ name, id, status }) => `instance ${name} ${id} (${status}) has no Rds`);
}

const stillThere = ({ objects }: Evidence, rds: Incarnation): string[] =>
  objects.some(({ metadata }) => metadata.uid === rds.uid) ? [`${who(rds)}: deleted, and still there`] : [];

function unlikeSpec(evidence: Evidence, rds: Incarnation): string[] {
  const object = evidence.objects.find(({ metadata }) => metadata.uid === rds.uid);
  if (!object) return [`${who(rds)}: the Rds is gone, and nobody deleted it`];
  const { id, phase, conditions = [], handled = {} } = object.status ?? {};
  const instance = evidence.instances.find(({ name }) => uidDigitsIn(name) === uidDigits(rds.uid));
  const isTold = (type: string): boolean =>
    conditions.some(
      (one) =>
        one.type === type && one.status === 'True' && one.observedGeneration === object.metadata.generation,
    );
  const restarts = eventsOf(evidence, 'restart', uidDigits(rds.uid)).length;
  const order = rds.restarts.at(-1);
  const told = conditions.map(({ type, status, reason }) => `${type}=${status}/${reason}`).join(' ');
  const checks: [isRight: boolean, otherwise: string][] = [
    [phase === 'Ready' && isTold('Ready') && isTold('Synced'), `${phase ?? 'no phase'}, ${told}`],
    [instance !== undefined, 'there is no instance'],
    [instance?.id === id, `status.id is ${id}, the instance ${instance?.id}`],
    [instance?.status === 'ACTIVE', `the instance is ${instance?.status}`],
    [instance?.volumeGb === rds.spec.volumesize, `${instance?.volumeGb} GB, not ${rds.spec.volumesize}`],
    [instance?.flavor === rds.spec.flavorref, `${instance?.flavor}, not ${rds.spec.flavorref}`],
    [
      instance?.tags.some(({ key, value }) => key === UID_TAG && value === rds.uid) ?? false,
      'the instance has no tag of its Rds',
    ],
    [
      order === undefined || (handled[ANNOTATIONS.restart] === order && restarts > 0),
      `restart ${order} was not carried out`,
    ],
    [
      evidence.secrets[connectionSecretName(rds.name)] === evidence.passwords[id ?? ''],
      'the password in the Secret does not open the database',
    ],
  ];
  return checks.filter(([isRight]) => !isRight).map(([, otherwise]) => `${who(rds)}: ${otherwise}`);
}

/** Must come to nothing once it is calm. */
export const unfinished = (evidence: Evidence): string[] => [
  ...leaked(evidence),
  ...evidence.incarnations.flatMap((rds) => (rds.isDeleted ? stillThere : unlikeSpec)(evidence, rds)),
];
