// Everything the page can ask about, in one place: the cluster in memory, the simulated cloud, and what was
// noted about both.

import type { Clock } from '../../clock.ts';
import type { KubeCall, KubeObject } from '../../kube/api.ts';
import { logJobs } from '../../rds/log-children.ts';
import { instanceName } from '../../rds/names.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { Instance } from '../../simulator/rds/types.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { JobRunner } from '../pods/jobs.ts';
import type { KeptOutput } from '../pods/kept-output.ts';
import type { WatchEvent } from '../watch.ts';
import { createAlarmPush } from './alarm-push.ts';
import { type Census, createCensus, type Verdict } from './census.ts';
import type { FaultSwitches } from './fault-switches.ts';
import { createMirror, type Mirror, type WatchAll } from './mirror.ts';
import { createSamples, type Sample, type Samples } from './samples.ts';
import { createStory } from './story.ts';
import type { Timeline } from './timeline.ts';
import { type Detail, detailOf, type Row, rowOf } from './view.ts';

export type World = {
  timeline: Timeline;
  mirror: Mirror;
  rows(): Map<string, Row>;
  cloud(): unknown;
  detail(key: string): Detail | undefined;
  samples(key: string): readonly Sample[];
  instanceOf(key: string): Instance | undefined;
  /** Of the newest Job that fetched its logs. */
  logOutput(key: string): { job: string; output: KeptOutput } | undefined;
  stop(): void;
};

type Options = {
  clock: Clock;
  simulator: Pick<Simulator, 'state'>;
  kube: KubeCall;
  watch: WatchAll;
  timeline: Timeline;
  switches: FaultSwitches;
  cloudCalls: () => number;
  speed: number;
  output: JobRunner['output'];
};

const SAMPLE_MS = 1_000;

export function createWorld(options: Options): World {
  const { clock, simulator, timeline, switches } = options;
  const mirror = createMirror(options.watch);
  const census: Census = createCensus();
  const samples: Samples = createSamples();
  const tell = createStory(timeline);
  const pushAlarms = createAlarmPush({ kube: options.kube, timeline, rdss: () => mirror.list('Rds') });
  const stopWatching = options.watch((event: WatchEvent) => {
    census.onChange(event);
    tell(event);
  });

  let instances: Instance[] = [];
  let verdict: Verdict = { doubled: [], lost: [] };
  const look = () => {
    const { state } = simulator;
    instances = state.instances;
    verdict = census.count(state.events, state.backups);
    samples.take(instances, clock.now());
    pushAlarms(state.alarms);
  };
  look();
  const timer = setInterval(look, SAMPLE_MS).unref();

  const rdsOf = (key: string): KubeObject | undefined => {
    const [namespace, name = ''] = key.split('/');
    return mirror.find('Rds', namespace, name);
  };
  const instanceOf = (rds: KubeObject | undefined): Instance | undefined => {
    if (!rds) return undefined;
    const { namespace = '', name, uid = '' } = rds.metadata;
    const { id } = (rds.status ?? {}) as RdsStatus;
    const own = instanceName(namespace, name, uid);
    return instances.find((one) => (id ? one.id === id : one.name === own));
  };
  const samplesOf = (rds: KubeObject | undefined): readonly Sample[] =>
    samples.of(((rds?.status ?? {}) as RdsStatus).id ?? instanceOf(rds)?.id ?? '');

  return {
    timeline,
    mirror,
    rows: keepUnchanged(() => mirror.list('Rds').map((rds) => rowOf(rds, samplesOf(rds).at(-1)))),
    cloud: () => ({
      speed: options.speed,
      instances: instances.length,
      calls: options.cloudCalls(),
      switches: switches.list(),
      ...verdict,
    }),
    detail(key) {
      const rds = rdsOf(key);
      if (!rds) return undefined;
      const isOfRds = ({ metadata, spec }: KubeObject) =>
        metadata.namespace === rds.metadata.namespace && (spec as { rds?: string }).rds === rds.metadata.name;
      return detailOf(rds, mirror.ownedBy(rds.metadata.uid ?? ''), mirror.list('RdsBackup').filter(isOfRds));
    },
    samples: (key) => samplesOf(rdsOf(key)),
    instanceOf: (key) => instanceOf(rdsOf(key)),
    logOutput(key) {
      const { namespace = '', uid = '' } = rdsOf(key)?.metadata ?? {};
      const job = logJobs(mirror.ownedBy(uid)).at(-1)?.metadata.name ?? '';
      const output = options.output(namespace, job);
      return output && { job, output };
    },
    stop() {
      clearInterval(timer);
      stopWatching();
    },
  };
}

/** Rows that read the same stay the same object, so that a reader sees at once what changed. */
function keepUnchanged(read: () => Row[]): () => Map<string, Row> {
  let last = new Map<string, Row>();
  return () => {
    const next = new Map<string, Row>();
    for (const row of read()) {
      const before = last.get(row.key);
      next.set(row.key, before && JSON.stringify(before) === JSON.stringify(row) ? before : row);
    }
    last = next;
    return next;
  };
}
