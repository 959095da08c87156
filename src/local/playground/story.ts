// Turns changes of objects into entries of the timeline: what the user ordered, what the operator noted in its
// journal before and after each write (its decisions), and how the conditions moved.

import type { KubeObject } from '../../kube/api.ts';
import type { Journal } from '../../rds/journal.ts';
import { ANNOTATIONS, journalName } from '../../rds/names.ts';
import type { Condition, RdsStatus } from '../../rds/status.ts';
import type { WatchEvent } from '../watch.ts';
import type { NewEntry, Timeline } from './timeline.ts';

type Known = { key: string; object: KubeObject; journal: Journal };

/** A listener for everything that changes in the API server. */
export function createStory(timeline: Timeline): (event: WatchEvent) => void {
  const byUid = new Map<string, Known>();
  const byLease = new Map<string, Known>();

  function onRds({ type, object }: WatchEvent): void {
    const { uid = '', namespace, name } = object.metadata;
    const known = byUid.get(uid);
    const key = `${namespace}/${name}`;
    const next: Known = { key, object, journal: known?.journal ?? {} };
    for (const entry of orders(type, known?.object, object)) timeline.add(key, entry);
    for (const entry of moves(known?.object, object)) timeline.add(key, entry);
    if (type === 'DELETED') {
      byUid.delete(uid);
      return;
    }
    byUid.set(uid, next);
    byLease.set(journalName(uid), next);
  }

  function onLease(lease: KubeObject): void {
    const known = byLease.get(lease.metadata.name);
    const text = lease.metadata.annotations?.[ANNOTATIONS.journal];
    if (!known || text === undefined) return;
    const journal = JSON.parse(text) as Journal;
    for (const entry of decisions(known.journal, journal)) timeline.add(known.key, entry);
    known.journal = journal;
  }

  return (event) => {
    if (event.object.kind === 'Rds') onRds(event);
    else if (event.object.kind === 'Lease' && event.type !== 'DELETED') onLease(event.object);
  };
}

function orders(type: WatchEvent['type'], before: KubeObject | undefined, now: KubeObject): NewEntry[] {
  const told = (title: string, text: string): NewEntry => ({ kind: 'user', tone: 'plain', title, text });
  if (type === 'DELETED') return [told('Object removed', 'The finalizer is gone and so is the Rds.')];
  if (!before) return [told('Applied', 'The Rds is new.')];
  if (now.metadata.deletionTimestamp && !before.metadata.deletionTimestamp)
    return [told('Delete ordered', 'The finalizer keeps the object until the operator is done.')];
  const order = now.metadata.annotations?.[ANNOTATIONS.logs];
  if (order && order !== before.metadata.annotations?.[ANNOTATIONS.logs])
    return [told('Logs ordered', `${ANNOTATIONS.logs}: ${order}`)];
  if (now.metadata.generation !== before.metadata.generation)
    return [told('Changed', `Generation ${now.metadata.generation} of the spec.`)];
  return [];
}

/** The journal is written before each write that must not be repeated, and again with its outcome. */
function decisions(before: Journal, now: Journal): NewEntry[] {
  const entries: NewEntry[] = [];
  const decide = (title: string, text: string) =>
    entries.push({ kind: 'decision', tone: 'plain', title, text });
  if (now.op && now.op.seq !== before.op?.seq)
    decide(`Claims: ${now.op.kind}`, `Write number ${now.op.seq}, noted in the journal before it is sent.`);
  if (now.last && now.last.seq !== before.last?.seq)
    decide(`Accepted: ${now.last.kind}`, 'The cloud took the order; the claim is settled.');
  else if (before.op && !now.op) decide(`Claim freed: ${before.op.kind}`, 'The outcome is known.');
  const [step] = now.scale?.history ?? [];
  if (step && step.at !== before.scale?.history?.[0]?.at)
    decide(
      `Autopilot: ${step.what}`,
      `Because ${step.because}. Noted in the journal once, then carried out.`,
    );
  if (now.id !== undefined && now.id !== before.id) decide('Owns an instance', `Instance ${now.id}.`);
  if (now.absence && now.absence.count !== before.absence?.count)
    decide('Looks again', `${now.absence.count} fresh reads in a row did not show the instance.`);
  if (now.closed && !before.closed)
    decide('Journal closed', 'Nothing but the delete is started for this Rds any more.');
  return entries;
}

const conditionsOf = (object: KubeObject | undefined): readonly Condition[] =>
  (object?.status as RdsStatus | undefined)?.conditions ?? [];

function moves(before: KubeObject | undefined, now: KubeObject): NewEntry[] {
  const earlier = new Map(conditionsOf(before).map((condition) => [condition.type, condition]));
  return conditionsOf(now).flatMap((condition): NewEntry[] => {
    const previous = earlier.get(condition.type);
    if (previous?.status === condition.status && previous.reason === condition.reason) return [];
    const from = previous && previous.status !== condition.status ? `${previous.status} → ` : '';
    return [
      {
        kind: 'condition',
        tone: toneOf(condition),
        title: `${condition.type}: ${from}${condition.status}`,
        text: `${condition.reason}: ${condition.message}`,
      },
    ];
  });
}

function toneOf({ type, status }: Condition): NewEntry['tone'] {
  if (type !== 'Ready') return 'plain';
  return status === 'True' ? 'good' : 'warn';
}
