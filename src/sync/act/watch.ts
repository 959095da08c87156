// Alarms and topic in the cloud. What cannot be told from its repetition is noted in the journal before it is sent: so a
// delete knows how long it has to look for leftovers, and nothing is made twice while an answer is on its way.

import { CloudError } from '../../errors.ts';
import type { HeldJournal } from '../../kube/journal.ts';
import type { Cloud, Instance } from '../../otc/cloud.ts';
import { type AlarmWanted, alarmRule } from '../../otc/rds-alarms.ts';
import { autopilotOf, type Meter, thresholdOf } from '../../rds/autopilot.ts';
import type { Journal } from '../../rds/journal.ts';
import { alarmName, topicName } from '../../rds/names.ts';
import type { TopicRecord, Watch } from '../../rds/scale.ts';
import type { Observed } from '../decide/observed.ts';
import type { Action, WatchWork } from '../decide/plan.ts';
import type { SyncDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import type { FullView } from '../observe.ts';
import { MEASURES } from '../watch-look.ts';
import { type ActResult, acted, LOST } from './result.ts';
import { staleAgainstLive } from './stale.ts';

export async function keepWatch(
  deps: SyncDeps,
  { observed, held, cloud }: FullView,
  { at, work }: Extract<Action, { kind: 'watch' }>,
): Promise<ActResult> {
  if (!held || !cloud) return LOST;
  const because = await staleAgainstLive(deps, observed, { do: 'watch' });
  if (because !== undefined) return { kind: 'stale', because };
  const noted = await note(deps, held, work, at);
  if (!noted) return LOST;
  const done: Watch = structuredClone(noted.journal.watch ?? { alarms: {} });
  try {
    await carryOut({ cloud, observed, work, at, done });
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    const failure = toFailure(error);
    deps.log.warn({ code: failure.code, outcome: error.outcome }, 'alarms could not be set up');
    const journal = (await record(deps, noted, done)) ?? noted.journal;
    return acted(journal, 'watch', error.outcome === 'unknown' ? 'unknown' : 'refused', failure);
  }
  const journal = await record(deps, noted, done);
  return journal ? acted(journal, 'watch', 'done') : acted(noted.journal, 'watch', 'unknown');
}

/** Only what makes something new needs a note. */
async function note(
  deps: SyncDeps,
  held: HeldJournal,
  { create, subscribe }: WatchWork,
  at: number,
): Promise<HeldJournal | undefined> {
  if (create.length === 0 && subscribe === undefined) return held;
  const watch = held.journal.watch ?? { alarms: {} };
  const alarms = { ...watch.alarms, ...Object.fromEntries(create.map((meter) => [meter, at])) };
  const topic: Pick<Watch, 'topic'> = subscribe === undefined ? {} : { topic: { ...watch.topic, at } };
  return deps.journal.swap(held, { ...held.journal, watch: { ...watch, alarms, ...topic } });
}

async function record(deps: SyncDeps, noted: HeldJournal, watch: Watch): Promise<Journal | undefined> {
  if (JSON.stringify(noted.journal.watch ?? { alarms: {} }) === JSON.stringify(watch)) return noted.journal;
  const { topicUrn: _old, ...rest } = noted.journal;
  // The receiver believes only a topic that is noted here.
  const known = watch.topic?.urn === undefined || watch.topic.isRemoved ? {} : { topicUrn: watch.topic.urn };
  const next: Journal = { ...rest, ...known, watch };
  return (await deps.journal.swap(noted, next).catch(() => undefined))?.journal;
}

type Tools = { cloud: Cloud; observed: Observed; work: WatchWork; at: number; done: Watch };

/** `done` is kept up to date on the way, since a failure may come at any point. */
async function carryOut({ cloud, observed, work, at, done }: Tools): Promise<void> {
  const { uid } = observed.rds.metadata;
  if (work.subscribe !== undefined) done.topic = await subscribed(cloud, uid, work.subscribe, at, done.topic);
  const instance = observed.cloud.kind === 'fresh' ? observed.cloud.instance : undefined;
  const unsent = new Set(work.create);
  try {
    for (const meter of work.create) {
      if (!instance) break;
      unsent.delete(meter);
      await cloud.createAlarm(ruleFor(observed, instance, meter, done.topic)).catch((error: unknown) => {
        if (error instanceof CloudError && error.outcome === 'refused') unsent.add(meter);
        throw error;
      });
    }
  } finally {
    // Nothing of these can show up: they may be sent again at once.
    for (const meter of unsent) delete done.alarms[meter];
  }
  for (const { id, meter } of work.repair)
    if (instance) await cloud.updateAlarm(id, ruleFor(observed, instance, meter, done.topic));
  for (const id of work.remove) await cloud.deleteAlarm(id);
  if (work.removesTopic) await removeTopic({ cloud, observed, at, done });
}

function ruleFor(o: Observed, instance: Instance, meter: Meter, topic: TopicRecord | undefined) {
  const autopilot = autopilotOf(o.spec);
  const wanted: AlarmWanted = {
    name: alarmName(o.rds.metadata.uid, meter),
    measure: MEASURES[meter],
    thresholdPercent: thresholdOf(autopilot, meter),
    topicUrns: autopilot.endpoint !== undefined && topic?.urn !== undefined ? [topic.urn] : [],
  };
  return alarmRule(instance, wanted);
}

/** Both calls may be repeated. An address that is no longer in the spec is told nothing more. */
async function subscribed(
  cloud: Cloud,
  uid: string,
  endpoint: string,
  at: number,
  before: TopicRecord | undefined,
): Promise<TopicRecord> {
  const { urn } = await cloud.createTopic(topicName(uid));
  await cloud.subscribe({ topicUrn: urn, endpoint });
  if (before?.endpoint !== undefined && before.endpoint !== endpoint) {
    const { value } = await cloud.subscriptions(urn);
    const old = value.filter((one) => one.protocol === 'https' && one.endpoint === before.endpoint);
    for (const { id } of old) await cloud.unsubscribe(id);
  }
  return { at, urn, endpoint, askedAt: at };
}

/** The record stays until a create of the topic can no longer take effect, and until two calls have removed it. */
async function removeTopic({
  cloud,
  observed,
  at,
  done,
}: Pick<Tools, 'cloud' | 'observed' | 'at' | 'done'>): Promise<void> {
  const { topic } = done;
  if (!topic) return;
  const urn = topic.urn ?? (await cloud.createTopic(topicName(observed.rds.metadata.uid))).urn;
  await cloud.deleteTopic(urn);
  if (topic.isRemoved && at >= topic.at + observed.timing.settleMs) delete done.topic;
  else done.topic = { ...topic, urn, isRemoved: true };
}
