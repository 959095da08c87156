// Watches everything that scenarios make and keeps the history of each namespace.
import type { KubeObject } from '../../src/kube/api.ts';
import type { KubeClient } from '../cluster/kube-client.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { backupLine, callLine, type History, type RdsObject, rdsLine } from './history.ts';
import type { Recorder } from './recorder.ts';

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
  involvedObject: { kind: string; name: string };
  message: string;
};

export type Chronicle = {
  of: (namespace: string) => History;
  events: (namespace: string) => EventObject[];
};

export async function startChronicle(kube: KubeClient, recorder: Recorder): Promise<Chronicle> {
  const lines: { namespace: string; subject: string; line: string }[] = [];
  const events: EventObject[] = [];

  const onEvent = (type: string, event: EventObject): void => {
    if (type === 'DELETED' || event.involvedObject.kind !== 'Rds') return;
    events.push(event);
  };

  for (const path of WATCHED) {
    // A CRD that was made a moment ago is not served at once; what is seen late is not the whole story.
    await waitFor(`${path} to be served`, async () => (await kube.send('GET', path)).status === 200);
    kube.watch(path, ({ type, object }) => {
      const { namespace = '', name } = object.metadata;
      const subject = `${object.kind} ${name}`;
      if (object.kind === 'Event') onEvent(type, object as EventObject);
      else if (type === 'DELETED') lines.push({ namespace, subject, line: 'gone' });
      else if (object.kind === 'Rds') lines.push({ namespace, subject, line: rdsLine(object as RdsObject) });
      else if (object.kind === 'RdsBackup')
        lines.push({ namespace, subject, line: backupLine(object as RdsObject) });
      else if (type === 'ADDED') lines.push({ namespace, subject, line: 'there' });
    });
  }

  const entriesOf = (namespace: string): [subject: string, line: string][] => [
    ...lines
      .filter((entry) => entry.namespace === namespace)
      .map(({ subject, line }): [string, string] => [subject, line]),
    ...recorder.calls
      // How often a backup is asked for while its instance is built or busy is chance: its phases tell enough.
      .filter(({ body }) => body.parent.kind === 'Rds')
      .filter(({ body, code }) => body.parent.metadata.namespace === namespace && code !== undefined)
      .map((call): [string, string] => [`calls ${call.body.parent.metadata.name}`, callLine(call)]),
    ...events
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map(
        (event) =>
          `${event.involvedObject.name}/${event.type} ${event.reason} from ${event.source?.component}`,
      )
      .sort()
      .map((text): [string, string] => [`events ${text.split('/')[0]}`, text.slice(text.indexOf('/') + 1)]),
  ];

  const of = (namespace: string): History => {
    const history: History = {};
    for (const [subject, line] of entriesOf(namespace)) {
      history[subject] ??= [];
      history[subject].push(line);
    }
    return history;
  };

  return { of, events: (namespace) => events.filter(({ metadata }) => metadata.namespace === namespace) };
}
