// What becomes of each Rds of the old operator. Pure: facts about cluster and cloud in, findings out, each with what
// to do. The rules are those of docs/migration.md.

import type { Instance } from '../otc/cloud.ts';
import { nameKind } from '../rds/names.ts';
import type { RdsObject } from './cluster.ts';
import { act, type Facts, type Finding, foreseen, note, stop } from './migration-findings.ts';
import { conditionOf, worries } from './rds-view.ts';

export type Verdict =
  | 'managed on'
  | 'moved'
  | 'needs consent'
  | 'new database'
  | 'instance missing'
  | 'look in the cloud'
  | 'being deleted';

export type Judged = {
  namespace: string;
  name: string;
  id: string | undefined;
  verdict: Verdict;
  findings: Finding[];
};

const FINALIZER = 'metacontroller.io/compositecontroller-rds';

export function judge(rds: RdsObject, all: readonly RdsObject[], facts: Facts): Judged {
  const { namespace, name } = rds.metadata;
  const found = instanceOf(rds, facts);
  const { verdict } = found;
  const id = rds.status?.id ?? found.instance?.id;
  // From then on the operator itself tells what it knows; before, this is what can be foreseen.
  if (verdict === 'moved') return { namespace, name, id, verdict, findings: found.findings };
  const findings = [...found.findings, ...foreseen(rds, found.instance, all, facts)];
  return { namespace, name, id, verdict, findings };
}

type Found = { verdict: Verdict; instance?: Instance | undefined; findings: Finding[] };

function instanceOf(rds: RdsObject, { instances }: Facts): Found {
  const { namespace, name, uid, deletionTimestamp } = rds.metadata;
  const { status = {} } = rds;
  const finalizers = (rds.metadata as { finalizers?: string[] }).finalizers ?? [];
  if (deletionTimestamp !== undefined)
    return {
      verdict: 'being deleted',
      findings: [stop('It is being deleted: let the old operator finish, or decide about it first.')],
    };
  if (finalizers.includes(FINALIZER)) return { verdict: 'moved', findings: moved(rds) };
  if (status.id !== undefined) {
    if (instances === undefined)
      return {
        verdict: 'managed on',
        findings: [
          note(
            `If instance ${status.id} is in the project, it is managed on: no restart, no password reset. Set the OS_* variables to have it looked up.`,
          ),
        ],
      };
    const instance = instances.find(({ id }) => id === status.id);
    if (instance)
      return {
        verdict: 'managed on',
        instance,
        findings: [
          note(
            `Instance ${instance.id} (${instance.name}, ${instance.status}) is managed on: no restart, no password reset.`,
          ),
        ],
      };
    return {
      verdict: 'instance missing',
      findings: [
        stop(
          `Instance ${status.id} is not listed in this project: reason InstanceMissing, and nothing is created. Check project and credentials.`,
        ),
      ],
    };
  }
  if (instances === undefined)
    return {
      verdict: 'look in the cloud',
      findings: [
        act(
          'It has no id. Set the OS_* variables: whether an instance exists for it decides between taking over and a new, empty database.',
        ),
      ],
    };
  const namesake = instances.find((one) =>
    ['old', 'otherUid', 'ours'].includes(nameKind(one.name, namespace, name, uid)),
  );
  if (namesake)
    return {
      verdict: 'needs consent',
      instance: namesake,
      findings: [
        act(
          `Instance ${namesake.id} has its name: reason AdoptionNeeded. Consent: kubectl annotate rds ${name} -n ${namespace} otc.mcsps.de/adopt=${namesake.id}`,
        ),
      ],
    };
  return {
    verdict: 'new database',
    findings: [
      act(
        'There is neither an id nor an instance of its name: a new, empty database will be created. Delete the Rds if that is not wanted.',
      ),
    ],
  };
}

function moved({ status = {} }: RdsObject): Finding[] {
  const ready = conditionOf(status, 'Ready');
  if (!ready) return [act('rds-pilot has it and has not told anything yet; look again in a minute.')];
  const rest = worries(status).map(({ type, reason, message }) => act(`${type} ${reason}: ${message}`));
  return ready.status === 'True' ? [note('rds-pilot manages it, and it is Ready.'), ...rest] : rest;
}
