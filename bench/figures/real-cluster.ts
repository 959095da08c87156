// The fleet once more, on a real API server with the real Metacontroller: real time, real processes, and the counters
// of the API server itself.

import { request } from 'undici';
import { metacontrollerHome } from '../../test/cluster/metacontroller.ts';
import { startOperatorCluster } from '../../test/cluster/operator-cluster.ts';
import { digits, type Figure, type Setting } from '../figure.ts';
import { sum } from './rested-hook.ts';

/** A thousand take some ten minutes, because of our own rate limit: `REAL_FLEET=1000 npm run bench -- --only=real-cluster`. */
const SCALES = { tiny: 0, quick: 0, full: Number(process.env.REAL_FLEET ?? 100) };
const SPEED = 1_000_000;
const LOOK_MS = 500;
const PATIENCE_PER_RDS_MS = 3_000;
const NAMESPACE = 'team-a';
const PATH = `/apis/otc.mcsps.de/v1alpha1/namespaces/${NAMESPACE}/rdss`;

type Listed = {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  status?: { binding?: unknown };
};

export async function realCluster({ scale }: Setting): Promise<Figure> {
  const count = SCALES[scale];
  const { home, notice } = metacontrollerHome();
  const title = 'Fleet on a real API server with the real Metacontroller';
  if (!home || count === 0)
    return { title, lines: [], plots: [], notes: [notice ?? 'Only part of the full run.'] };
  const cluster = await startOperatorCluster({ metacontrollerHome: home, speed: SPEED, replicaCount: 1 });
  try {
    const { kube, cloud, engine, hookToken } = cluster;
    const port = cluster.replicas[0]?.port ?? 0;
    await engine.configure({ hookUrl: `http://127.0.0.1:${port}`, hookToken });
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    let statusWrites = 0;
    const statuses = new Map<string, string>();
    // Once is enough, and so is a connection: time flies in this cloud, and disks fill up while the last ones are still made.
    const ready = new Set<string>();
    const watch = kube.watch(PATH, ({ object }) => {
      const { metadata, status } = object as Listed;
      const text = JSON.stringify(status ?? null);
      if (status && statuses.get(metadata.name) !== text) statusWrites += 1;
      statuses.set(metadata.name, text);
      if (status?.binding) ready.add(metadata.name);
    });
    const callsBefore = sum(await cloud.calls());
    const startedAt = performance.now();
    for (let number = 0; number < count; number += 1) {
      await kube.apply({
        apiVersion: 'otc.mcsps.de/v1alpha1',
        kind: 'Rds',
        metadata: { name: `db-${number}`, namespace: NAMESPACE },
        spec: { flavorref: 'rds.mysql.n1.large.2', volumetype: 'CLOUDSSD', volumesize: 40 },
      });
    }
    const appliedMs = performance.now() - startedAt;
    while (ready.size < count) {
      if (performance.now() - startedAt > count * PATIENCE_PER_RDS_MS)
        throw new Error('the fleet is not ready in time');
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    watch.close();
    const syncs = await syncsOf(port);
    const calls = sum(await cloud.calls()) - callsBefore;
    return {
      title,
      lines: [
        {
          what: `${count} Rds applied at once: s until all are Ready (of these, applying)`,
          value: `${digits(seconds, 0)} (${digits(appliedMs / 1_000, 0)})`,
        },
        { what: 'syncs per Rds', value: digits(syncs / count, 1) },
        { what: 'status writes per Rds (least 3)', value: digits(statusWrites / count, 1) },
        { what: 'calls to the cloud per Rds', value: digits(calls / count, 1) },
      ],
      plots: [],
      notes: ['One replica, Metacontroller with 5 workers and 200 calls a second, real time.'],
    };
  } finally {
    await cluster.stop();
  }
}

async function syncsOf(port: number): Promise<number> {
  const text = await (await request(`http://127.0.0.1:${port}/metrics`)).body.text();
  const counts = text.matchAll(/^rds_pilot_hook_duration_seconds_count\{[^}]*hook="sync"[^}]*\} (\d+)/gm);
  return [...counts].reduce((total, [, count]) => total + Number(count), 0);
}
