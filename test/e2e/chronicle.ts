// Watches everything that scenarios make and keeps the history of each namespace.
import type { KubeObject } from '../../src/kube/api.ts';
import type { KubeClient } from '../cluster/kube-client.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { afterlivesOf, isToldThen } from './afterlife.ts';
import { backupLine, callLine, type History, loginLines, type RdsObject, rdsLine } from './history.ts';
import type { HookCall, Recorder } from './recorder.ts';

const WATCHED = [
  '/apis/otc.mcsps.de/v1alpha1/rdss',
  '/apis/otc.mcsps.de/v1alpha1/rdsbackups',
  '/api/v1/services',
  '/api/v1/secrets',
  '/api/v1/events',
  '/apis/discovery.k8s.io/v1/endpointslices',
];

type EventObject = KubeObject & {
  type: string;
  reason: string;
  source?: { component?: string };
  involvedObject: { kind: string; name: string; uid?: string };
  message: string;
};

export type Chronicle = {
  of: (namespace: string) => History;
  events: (namespace: string) => EventObject[];
  /** What is not told to be gone yet, though none of these Rds is it or owns it. */
  leftOf: (namespace: string, rdsUids: readonly string[]) => string[];
};

const isRds = ({ kind }: { kind: string }): boolean => kind === 'Rds';

/** The Rds that an object belongs to; it belongs to itself. */
const rdsOf = ({ kind, metadata }: KubeObject): string | undefined =>
  isRds({ kind }) ? metadata.uid : metadata.ownerReferences?.find(isRds)?.uid;

export async function startChronicle(kube: KubeClient, recorder: Recorder): Promise<Chronicle> {
  const lines: { namespace: string; subject: string; line: string }[] = [];
  const events: EventObject[] = [];
  const seenAt = new Map<EventObject, number>();
  const present = new Map<string, KubeObject>();

  const onEvent = (type: string, event: EventObject): void => {
    if (type === 'DELETED' || event.involvedObject.kind !== 'Rds') return;
    events.push(event);
    seenAt.set(event, Date.now());
  };

  const onRds = (namespace: string, object: RdsObject): void => {
    const { name } = object.metadata;
    lines.push({ namespace, subject: `Rds ${name}`, line: rdsLine(object) });
    for (const line of loginLines(object)) lines.push({ namespace, subject: `logins ${name}`, line });
  };

  for (const path of WATCHED) {
    // A CRD that was made a moment ago is not served at once; what is seen late is not the whole story.
    await waitFor(`${path} to be served`, async () => (await kube.send('GET', path)).status === 200);
    kube.watch(path, ({ type, object }) => {
      const { namespace = '', name } = object.metadata;
      const subject = `${object.kind} ${name}`;
      if (type === 'DELETED') present.delete(object.metadata.uid ?? '');
      else present.set(object.metadata.uid ?? '', object);
      if (object.kind === 'Event') onEvent(type, object as EventObject);
      else if (type === 'DELETED') lines.push({ namespace, subject, line: 'gone' });
      else if (object.kind === 'Rds') onRds(namespace, object as RdsObject);
      else if (object.kind === 'RdsBackup')
        lines.push({ namespace, subject, line: backupLine(object as RdsObject) });
      else if (type === 'ADDED') lines.push({ namespace, subject, line: 'there' });
    });
  }

  const entriesOf = (namespace: string): [subject: string, line: string][] => {
    const afterlives = afterlivesOf(recorder.calls);
    const isAlive = ({ at, body }: HookCall) =>
      at < (afterlives.get(body.parent.metadata.uid ?? '') ?? Number.POSITIVE_INFINITY);
    const isOfLife = (event: EventObject) =>
      !isToldThen(afterlives, {
        reason: event.reason,
        uid: event.involvedObject.uid ?? '',
        at: seenAt.get(event) ?? 0,
      });
    return [
      ...lines
        .filter((entry) => entry.namespace === namespace)
        .map(({ subject, line }): [string, string] => [subject, line]),
      ...recorder.calls
        // How often a backup is asked for while its instance is built or busy is chance: its phases tell enough.
        .filter((call) => call.body.parent.kind === 'Rds' && isAlive(call))
        .filter(({ body, code }) => body.parent.metadata.namespace === namespace && code !== undefined)
        .map((call): [string, string] => [`calls ${call.body.parent.metadata.name}`, callLine(call)]),
      ...events
        .filter((event) => event.metadata.namespace === namespace && isOfLife(event))
        .map(
          (event) =>
            `${event.involvedObject.name}/${event.type} ${event.reason} from ${event.source?.component}`,
        )
        .sort()
        .map((text): [string, string] => [`events ${text.split('/')[0]}`, text.slice(text.indexOf('/') + 1)]),
    ];
  };

  const of = (namespace: string): History => {
    const history: History = {};
    for (const [subject, line] of entriesOf(namespace)) {
      history[subject] ??= [];
      history[subject].push(line);
    }
    return history;
  };

  return {
    of,
    events: (namespace) => events.filter(({ metadata }) => metadata.namespace === namespace),
    leftOf: (namespace, rdsUids) =>
      [...present.values()].flatMap((object) => {
        const uid = rdsOf(object);
        const isLeft = object.metadata.namespace === namespace && uid !== undefined && !rdsUids.includes(uid);
        return isLeft ? [`${object.kind} ${object.metadata.name}`] : [];
      }),
  };
}
