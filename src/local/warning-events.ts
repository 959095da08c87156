// The Warning events that a failing sync leaves on its parent, with the recorder's limits.

import type { Clock } from '../clock.ts';
import type { KubeObject } from '../kube/api.ts';
import type { KubeClient } from './kube-client.ts';
import { type Bucket, createBucket } from './rate-limits.ts';
import { timestamp } from './writes.ts';

export type WarnAbout = (parent: KubeObject, message: string) => void;

const maxMessage = 1024;

export const createWarnings = (client: KubeClient, clock: Clock): WarnAbout => {
  const seen = new Map<string, { path: string; count: number }>();
  const buckets = new Map<string, Bucket>();
  let number = 0;

  const record = async (parent: KubeObject, message: string): Promise<void> => {
    const { name, namespace = 'default', uid, resourceVersion } = parent.metadata;
    const path = `/api/v1/namespaces/${namespace}/events`;
    const time = timestamp(clock.now());
    const known = seen.get(`${uid} ${message}`);
    if (known) {
      known.count += 1;
      const body = { count: known.count, lastTimestamp: time };
      await client.send({
        method: 'PATCH',
        path: known.path,
        contentType: 'application/merge-patch+json',
        body,
      });
      return;
    }
    number += 1;
    const event = `${name}.${(clock.now() * 1000 + number).toString(16)}`;
    seen.set(`${uid} ${message}`, { path: `${path}/${event}`, count: 1 });
    const body = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: event, namespace },
      involvedObject: {
        apiVersion: parent.apiVersion,
        kind: parent.kind,
        namespace,
        name,
        uid,
        resourceVersion,
      },
      type: 'Warning',
      reason: 'SyncError',
      message: message.slice(0, maxMessage),
      source: { component: 'metacontroller' },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    };
    await client.send({ method: 'POST', path: `${path}?fieldManager=metacontroller`, body });
  };

  return (parent, message) => {
    const uid = parent.metadata.uid ?? '';
    const bucket = buckets.get(uid) ?? createBucket(clock, 1 / 300, 25);
    buckets.set(uid, bucket);
    // A lost event is nobody's problem: a namespace on its way out refuses them all.
    if (bucket.tryTake()) record(parent, message).catch(() => {});
  };
};
