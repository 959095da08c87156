// What the autopilot may do, judged by the truth: the bounds of the spec, the load that there really was, and the alarms
// that there really are.

import type { KubeObject } from '../../src/kube/api.ts';
import type { OtcRequest } from '../../src/otc/send.ts';
import { autopilotOf, METERS, type Meter, thresholdOf } from '../../src/rds/autopilot.ts';
import { findCondition } from '../../src/rds/conditions.ts';
import { alarmName, topicName } from '../../src/rds/names.ts';
import { findFlavor } from '../../src/simulator/rds/flavors.ts';
import { loadAt } from '../../src/simulator/rds/load-phase.ts';
import { SECOND } from './clock.ts';
import { type Instance, PERIOD_MS, type SimCloud } from './cloud.ts';
import { type Cluster, specOf, statusOf } from './cluster.ts';
import type { OtcSite } from './otc-sites.ts';
import type { Report } from './violation.ts';

/** An alarm counts three periods. */
const COUNTED_MS = 3 * PERIOD_MS;
const STEP_MS = 5 * SECOND;

export function createAutopilotOracle(cluster: Cluster, cloud: SimCloud, report: Report) {
  const judged = new Set<string>();

  const scaleOf = (uid: string) => cluster.journal(uid)?.journal.scale;

  /** Whether this write carries out what the autopilot decided. */
  function isOwn(site: OtcSite, uid: string, body: string): boolean {
    const scale = scaleOf(uid);
    if (site === 'otc enlarge') return body.includes(`"size":${scale?.volumeGb?.to}}`);
    if (site !== 'otc resize' || !scale?.flavor) return false;
    const { to } = scale.flavor;
    return [to, `${to.replace(/\.ha$/, '')}.rr`].some((code) => body.includes(`"spec_code":"${code}"`));
  }

  function judge(site: OtcSite, uid: string, body: string, versions: readonly KubeObject[]): void {
    const scale = scaleOf(uid);
    const instance = cloud.instance(cluster.journal(uid)?.journal.id ?? '');
    if (!scale || !instance || scale.decidedAt === undefined) return;
    if (!versions.some((object) => isInBounds(site, object, scale)))
      report('autopilot-in-bounds', `${site} ${body} of ${uid} is not within the bounds of its spec`);
    if (site === 'otc enlarge' && (scale.volumeGb?.to ?? 0) <= smallest(instance))
      report('autopilot-in-bounds', `${site} ${body} of ${uid} does not enlarge the disk`);
    const decision = `${uid}/${scale.decidedAt}`;
    if (judged.has(decision)) return;
    judged.add(decision);
    judgeReason(uid, instance, scale.decidedAt);
  }

  /** A read replica may be smaller than its primary for a while. */
  const smallest = (instance: Instance): number =>
    Math.min(
      instance.volumeGb,
      ...Object.values(cloud.world().instances)
        .filter(({ replicaOf }) => replicaOf === instance.id)
        .map(({ volumeGb }) => volumeGb),
    );

  function isInBounds(site: OtcSite, object: KubeObject, scale: NonNullable<ReturnType<typeof scaleOf>>) {
    const { storage, compute } = autopilotOf(specOf(object));
    if (site === 'otc enlarge') return (scale.volumeGb?.to ?? 0) <= storage.maxGb;
    const size = findFlavor(scale.flavor?.to ?? '');
    const max = findFlavor(compute.maxFlavor ?? '');
    const min = findFlavor(compute.minFlavor ?? specOf(object).flavorref);
    if (!size) return false;
    return (!max || size.vcpus <= max.vcpus) && (!min || size.vcpus >= min.vcpus);
  }

  function judgeReason(uid: string, instance: Instance, decidedAt: number): void {
    const [step] = scaleOf(uid)?.history ?? [];
    if (/STORAGE FULL/.test(step?.because ?? '')) return;
    const changes = cloud
      .world()
      .events.filter(
        ({ kind, instanceId }) => instanceId === instance.id && /^(enlarged|resized)$/.test(kind),
      );
    const last = changes.filter(({ at }) => at < decidedAt).at(-1);
    if (last && decidedAt - last.at < COUNTED_MS)
      report(
        'autopilot-once',
        `${uid} decided ${(decidedAt - last.at) / SECOND} s after a change: ${step?.because}`,
      );
    if (!METERS.some((meter) => wasOver(uid, instance, meter, decidedAt)))
      report('autopilot-once', `${uid} decided without a reason: ${step?.because}`);
  }

  function wasOver(uid: string, instance: Instance, meter: Meter, decidedAt: number): boolean {
    const object = cluster.lastOf(uid);
    if (!object) return true;
    // The spec may have been edited since.
    const threshold = Math.min(80, thresholdOf(autopilotOf(specOf(object)), meter));
    for (let at = decidedAt - COUNTED_MS; at <= decidedAt; at += STEP_MS) {
      const load = loadAt(instance.phases ?? [], at);
      const value = load && { disk: load.disk, cpu: load.cpu, memory: load.mem }[meter];
      if (value !== undefined && value >= threshold) return true;
    }
    return false;
  }

  /** Who writes about which alarm or topic, and whether the journal knows. */
  function judgeWatch(site: OtcSite, { body = '', url }: OtcRequest): void {
    if (site !== 'otc alarm create' && site !== 'otc topic create') {
      judgeOwner(site, url);
      return;
    }
    const name = /"(?:alarm_name|name)":"([^"]+)"/.exec(body)?.[1] ?? '';
    const uid = /^rds-pilot-([0-9a-f-]{36})/.exec(name)?.[1] ?? '';
    const journal = cluster.journal(uid)?.journal;
    const meter = METERS.find((one) => name === alarmName(uid, one));
    const isNoted = meter ? journal?.watch?.alarms[meter] !== undefined : journal?.watch?.topic !== undefined;
    if (!isNoted) report('alarms-are-noted', `${site} ${name} without a note in the journal`);
    if (meter && !body.includes(`"value":"${journal?.id}"`))
      report('alarms-are-noted', `${site} ${name} watches another instance than ${journal?.id}`);
  }

  /** Alarms of others are never touched. */
  function judgeOwner(site: OtcSite, url: string): void {
    const id = /\/alarms\/([^/?]+)/.exec(url)?.[1];
    const alarm = id === undefined ? undefined : cloud.world().alarms[id];
    if (alarm && !alarm.name.startsWith('rds-pilot-'))
      report('foreign-untouched', `${site} on the alarm ${alarm.name}`);
  }

  return { isOwn, judge, judgeWatch };
}

/** Exactly three where the autopilot is on and can work, none where it is off. `waits`: for the window, say. */
export function alarmProblem(cloud: SimCloud, object: KubeObject, waits: boolean): string | undefined {
  const { uid = '' } = object.metadata;
  const { mode, endpoint } = autopilotOf(specOf(object));
  const reason = findCondition(statusOf(object).conditions, 'AutopilotReady')?.reason;
  if (reason === 'AutopilotInvalid') return undefined;
  const alarms = Object.values(cloud.world().alarms).filter(({ name }) => name.includes(uid));
  const topics = Object.values(cloud.world().topics).filter(({ name }) => name === topicName(uid));
  const wanted = mode === 'Off' ? 0 : 1;
  for (const meter of METERS) {
    const own = alarms.filter(({ name, isEnabled }) => name === alarmName(uid, meter) && isEnabled);
    if (own.length !== wanted) return `${own.length} alarms for ${meter}, wanted ${wanted} (${reason})`;
  }
  if (alarms.length !== 3 * wanted) return `${alarms.length} alarms (${reason})`;
  const isTold = mode !== 'Off' && endpoint !== undefined;
  if (topics.length !== (isTold ? 1 : 0)) return `${topics.length} topics (${reason})`;
  const isMoving = reason === 'Scaling' && waits;
  if (mode !== 'Off' && reason !== 'Watching' && reason !== 'PushUnconfirmed' && !isMoving)
    return `AutopilotReady says ${reason}`;
  return mode !== 'Off' && (statusOf(object).alarms ?? []).length !== 3
    ? 'status.alarms is wrong'
    : undefined;
}

/** A namespace that goes takes the credentials of its tenant along, often before we are asked. */
export function hasLostAccount(cluster: Cluster, object: KubeObject | undefined): boolean {
  const { namespace = '' } = object?.metadata ?? {};
  return (
    object !== undefined &&
    specOf(object).credentialsSecretRef !== undefined &&
    cluster.isGoing('Namespace', namespace, 0)
  );
}

export function judgeLeftAlarms(
  { cluster, cloud }: { cluster: Cluster; cloud: SimCloud },
  report: Report,
): void {
  const isOrphan = (name: string) => {
    const uid = /^rds-pilot-([0-9a-f-]{36})/.exec(name)?.[1];
    return uid !== undefined && !cluster.rdsByUid(uid) && !hasLostAccount(cluster, cluster.lastOf(uid));
  };
  const { alarms, topics } = cloud.world();
  for (const { name } of [...Object.values(alarms), ...Object.values(topics)])
    if (isOrphan(name)) report('no-alarm-left', `${name} outlives its Rds`);
}
