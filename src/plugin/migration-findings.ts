// What can be foreseen about one Rds of the old operator, each with what to do about it.

import type { KubeObject } from '../kube/api.ts';
import type { Instance } from '../otc/cloud.ts';
import { canNameService, oldAlarmNames } from '../rds/names.ts';
import { userSetFields } from '../rds/user-set.ts';
import { specProblems } from '../rds/validate.ts';
import type { RdsObject } from './cluster.ts';

/** `stop`: it would not go well. `do`: a person has to do something. `note`: good to know. */
export type Finding = { level: 'stop' | 'do' | 'note'; text: string };

export type Facts = {
  /** Services and Endpoints of all namespaces. */
  namesakes: readonly KubeObject[];
  /** undefined: nobody gave a login to the cloud. */
  instances: readonly Instance[] | undefined;
  alarmNames: ReadonlySet<string>;
};

export const note = (text: string): Finding => ({ level: 'note', text });
export const act = (text: string): Finding => ({ level: 'do', text });
export const stop = (text: string): Finding => ({ level: 'stop', text });

export function foreseen(
  rds: RdsObject,
  instance: Instance | undefined,
  all: readonly RdsObject[],
  facts: Facts,
): Finding[] {
  return [
    ...sharedId(rds, all),
    ...badSpec(rds),
    ...children(rds, facts),
    ...passwords(rds),
    ...differences(rds, instance),
    ...oldWishes(rds),
    ...leftAlarms(rds, facts),
  ];
}

function sharedId(rds: RdsObject, all: readonly RdsObject[]): Finding[] {
  const id = rds.status?.id;
  const others = all.filter((other) => other !== rds && id !== undefined && other.status?.id === id);
  return others.map(({ metadata }) =>
    stop(`${metadata.namespace}/${metadata.name} has the same id: only one of them can own the instance.`),
  );
}

function badSpec({ spec = {}, metadata }: RdsObject): Finding[] {
  const problems = specProblems(spec).map(({ field, message }) =>
    stop(`InvalidSpec until it is corrected: ${field}: ${message}`),
  );
  if (canNameService(metadata.name)) return problems;
  return [...problems, note(`${metadata.name} cannot name a Service: there will be none.`)];
}

/** The old operator made them without an owner. */
function children({ metadata }: RdsObject, { namesakes }: Facts): Finding[] {
  const mine = namesakes.filter(
    (one) =>
      one.metadata.namespace === metadata.namespace &&
      one.metadata.name === metadata.name &&
      !one.metadata.ownerReferences?.length,
  );
  const kinds = [...new Set(mine.map(({ kind }) => kind))].sort().reverse();
  if (kinds.length === 0) return [];
  return [
    act(
      `The old ${kinds.join(' and ')} ${metadata.name} stands in the way (ChildNameTaken). Clients lose the name for up to a minute: ` +
        `kubectl delete ${kinds.join(',').toLowerCase()} ${metadata.name} -n ${metadata.namespace}`,
    ),
  ];
}

function passwords({ spec = {} }: RdsObject): Finding[] {
  const root =
    spec.password !== undefined
      ? note(
          'spec.password is used for the connection Secret and never set anew. Better: a Secret and passwordSecretRef.',
        )
      : spec.passwordSecretRef !== undefined
        ? note('The root password comes from a Secret.')
        : act(
            'Its root password is not known (RootPasswordUnknown): no connection Secret until passwordSecretRef names it. The database runs on.',
          );
  const drawn = (spec.users ?? []).filter(
    ({ password, passwordSecretRef }) => password === undefined && !passwordSecretRef,
  );
  if (drawn.length === 0) return [root];
  const names = drawn.map(({ name }) => name).join(', ');
  return [
    root,
    stop(
      `Users without a password in the spec would get a generated one: ${names}. Name theirs in passwordSecretRef first.`,
    ),
  ];
}

/** What the plan would begin with. Only fields that a person set are wishes. */
function differences(rds: RdsObject, instance: Instance | undefined): Finding[] {
  if (!instance) return [];
  const { spec = {} } = rds;
  const isSet = userSetFields(rds);
  const pairs: [field: keyof typeof spec, wanted: unknown, present: unknown][] = [
    ['flavorref', spec.flavorref, instance.flavor],
    ['volumesize', Math.max(spec.volumesize ?? 0, instance.volumeGb), instance.volumeGb],
    ['port', spec.port, `${instance.port}`],
    ['backupstarttime', spec.backupstarttime, instance.backupStartTime],
    ['backupkeepdays', spec.backupkeepdays, instance.backupKeepDays],
  ];
  return pairs
    .filter(([field, wanted, present]) => isSet.has(field) && wanted !== undefined && wanted !== present)
    .map(([field, wanted, present]) =>
      act(
        `spec.${field} says ${wanted}, the instance has ${present}: it would be changed. Correct the spec, or see the plan with otc.mcsps.de/dry-run first.`,
      ),
    );
}

function oldWishes({ spec = {} }: RdsObject): Finding[] {
  return [
    ...(spec.backuprestoretime === undefined
      ? []
      : [note('spec.backuprestoretime counts as carried out; nothing is restored.')]),
    ...(spec.endpoint === undefined ? [] : [note(ENDPOINT)]),
  ];
}

const ENDPOINT =
  'spec.endpoint switches the autopilot on, with alarms and a topic of its own; the spec is never written. Take it out if nothing is to be scaled.';

function leftAlarms({ metadata }: RdsObject, { alarmNames }: Facts): Finding[] {
  const left = oldAlarmNames(metadata.namespace, metadata.name).filter((name) => alarmNames.has(name));
  if (left.length === 0) return [];
  return [
    act(
      `Alarms of the old operator stay in the cloud: ${left.join(', ')}. Delete them, and the topic, in the console.`,
    ),
  ];
}
