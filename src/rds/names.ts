// Every name that is derived from an Rds, in one place. They are looked up again by later calls and later
// versions, so changing one of them loses objects: the test vectors pin them.

import type { Meter } from './autopilot.ts';
import { hashHex } from './hash.ts';

const OTC_NAME_MAX = 64;
const UID_DIGITS = 12;
const BASE_MAX = OTC_NAME_MAX - UID_DIGITS - 1;

export const UID_TAG = 'rds-pilot-uid';
/** On the throwaway instance of a drill, beside the UID: its value is the name of the drill. */
export const DRILL_TAG = 'rds-pilot-drill';
/** The machine that the autopilot chose (src/rds/scale.ts). */
export const SCALED_TAG = 'rds-pilot-scaled';
/** Set by us alone, whatever spec.tags says. */
export const OWN_TAGS: readonly string[] = [UID_TAG, SCALED_TAG];

/** The part of a UID that instance names carry. */
export function uidDigits(uid: string): string {
  return uid.replaceAll('-', '').slice(0, UID_DIGITS);
}

/** `team-a_shop`: the part of an instance name that does not depend on the UID. */
export function instanceNameBase(namespace: string, name: string): string {
  return wholeBase(namespace, name).slice(0, BASE_MAX);
}

function wholeBase(namespace: string, name: string): string {
  const plain = `${namespace}_${name}`.replace(/[^A-Za-z0-9_-]/g, '-');
  return /^[A-Za-z]/.test(plain) ? plain : `r-${plain}`;
}

/** `team-a_shop_4bc725aba311` */
export function instanceName(namespace: string, name: string, uid: string): string {
  return `${instanceNameBase(namespace, name)}_${uidDigits(uid)}`;
}

/** `rr-4bc725aba311-reports-5f0c`: an instance of its own, found again by its name. */
export function replicaName(uid: string, replica: string): string {
  const slug = replica.replace(/[^A-Za-z0-9-]/g, '-');
  return `rr-${uidDigits(uid)}-${slug}-${hashHex(replica, 4)}`;
}

/**
 * `drill-4bc725aba311-202611170300`: the throwaway instance of a drill, its Secret and its Job, by UID and scheduled
 * minute. No dash-separated name can be that of a primary, which has an underscore before its last twelve digits.
 */
export function drillName(uid: string, slotMs: number): string {
  return `drill-${uidDigits(uid)}-${new Date(slotMs).toISOString().replace(/\D/g, '').slice(0, 12)}`;
}

/** What the old operator called its instances. */
export function oldInstanceName(namespace: string, name: string): string {
  return `${namespace}_${name}`;
}

/** Alarms that the old operator made and that outlive it. */
export function oldAlarmNames(namespace: string, name: string): string[] {
  return ['disc', 'cpu', 'mem'].map((what) => `${oldInstanceName(namespace, name)}-${what}-util`);
}

/** `rds-pilot-4bc725ab-a311-4c18-92e7-ba4969369b55-disk`. The cloud allows a name more than once. */
export const alarmName = (uid: string, meter: Meter): string => `rds-pilot-${uid}-${meter}`;

/** The same part out of a UID or an instance's name; undefined when there is none. */
export function uidDigitsIn(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-/.test(text)) return uidDigits(text);
  return /_([0-9a-f]{12})$/.exec(text)?.[1];
}

/** Whose instance it is by its name, be it the primary or the throwaway of a drill. */
export function ownerDigitsIn(text: string | undefined): string | undefined {
  return uidDigitsIn(text) ?? /^drill-([0-9a-f]{12})-[0-9]{12}$/.exec(text ?? '')?.[1];
}

/** Ours, the old operator's, or the same Rds under another UID (a re-made cluster). */
export function nameKind(
  candidate: string,
  namespace: string,
  name: string,
  uid: string,
): 'ours' | 'old' | 'otherUid' | 'unrelated' {
  if (candidate === instanceName(namespace, name, uid)) return 'ours';
  if (candidate === oldInstanceName(namespace, name)) return 'old';
  const base = instanceNameBase(namespace, name);
  // A base that was cut may be shared by several Rds: then a name alone proves nothing.
  if (wholeBase(namespace, name).length > BASE_MAX) return 'unrelated';
  const tail = candidate.startsWith(`${base}_`) ? candidate.slice(base.length + 1) : '';
  return /^[0-9a-f]{12}$/.test(tail) ? 'otherUid' : 'unrelated';
}

/** `final-4bc725aba311-20261116024155-1`: unique per deletion and attempt, since OTC refuses a used name. */
export function finalBackupName(uid: string, deletionTimestamp: string, attempt: number): string {
  return `${finalBackupPrefix(uid, deletionTimestamp)}${attempt}`;
}

export function finalBackupPrefix(uid: string, deletionTimestamp: string): string {
  return `final-${uidDigits(uid)}-${deletionTimestamp.replace(/\D/g, '').slice(0, 14)}-`;
}

/** `before-4bc725aba311-`: the state before a restore in place. */
export const safetyPrefix = (uid: string): string => `before-${uidDigits(uid)}-`;

/** Rds stored before our CRD may have names that no Service can have. */
export function canNameService(name: string): boolean {
  return name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name);
}

export const serviceName = (name: string): string => name;
export const connectionSecretName = (name: string): string => `${name}-connection`;
export const rootSecretName = (name: string): string => `${name}-root`;

/** `shop-u-app1-3f2a1c`: readable, and unique even where two users slug to the same text. */
export function userSecretName(name: string, user: string, host: string): string {
  const slug =
    user
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 20) || 'user';
  return `${name}-u-${slug}-${hashHex(`${user}@${host}`, 6)}`;
}

/** Where the password of each of two logins that take turns is kept, from its drawing to the next one. */
export const drawingName = (secretName: string, slot: 'first' | 'second'): string => `${secretName}-${slot}`;

/** `app_5f0c3a1b`: the other login of an account; short and plain enough for every engine. */
export function secondLogin(account: string, name: string): string {
  return `${name.replace(/[^A-Za-z0-9]/g, '_').slice(0, 20)}_${hashHex(account, 8)}`;
}

/** `shop-sql-4bc725aba311-9f0c…`: Rds, UID, wish; the attempt follows. */
export function sqlJobPrefix(name: string, uid: string, key: string): string {
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 20)
    .replace(/^-+|-+$/g, '');
  return `${readable || 'rds'}-sql-${uidDigits(uid)}-${key}-`;
}

/** At most 63 characters, as the pods carry it in a label. */
export const sqlJobName = (name: string, uid: string, key: string, attempt: number): string =>
  `${sqlJobPrefix(name, uid, key)}${attempt}`;

export const journalName = (uid: string): string => `rds-${uid}`;
export const ownerLeaseName = (instanceId: string): string => `rds-instance-${instanceId}`;

/** `rds-pilot-4bc725ab-a311-4c18-92e7-ba4969369b55`: the whole UID, since the receiver of alarms finds the Rds by it. */
export const topicName = (uid: string): string => `rds-pilot-${uid}`;

export type Topic = { region: string; projectId: string; uid: string };

const TOPIC_URN =
  /^urn:smn:([a-z][a-z0-9-]{0,31}):([0-9a-f]{32}):rds-pilot-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** undefined: not a name of ours. Anyone can name a topic so in a project of his own: compare the project too. */
export function topicOfUrn(urn: string): Topic | undefined {
  const [, region, projectId, uid] = TOPIC_URN.exec(urn) ?? [];
  return region && projectId && uid ? { region, projectId, uid } : undefined;
}

export const uidOfTopic = (urn: string): string | undefined => topicOfUrn(urn)?.uid;

export const ANNOTATIONS = {
  alarm: 'otc.mcsps.de/alarm',
  restart: 'otc.mcsps.de/restart',
  logs: 'otc.mcsps.de/logs',
  slowQueries: 'otc.mcsps.de/slow-queries',
  reconcile: 'otc.mcsps.de/reconcile',
  adopt: 'otc.mcsps.de/adopt',
  approve: 'otc.mcsps.de/approve',
  release: 'otc.mcsps.de/release',
  forceDelete: 'otc.mcsps.de/force-delete',
  dryRun: 'otc.mcsps.de/dry-run',
  draw: 'otc.mcsps.de/draw',
  account: 'otc.mcsps.de/account',
  rootVersion: 'otc.mcsps.de/root-version',
  journal: 'otc.mcsps.de/journal',
  useRds: 'otc.mcsps.de/use-rds',
  useRdsResult: 'otc.mcsps.de/use-rds-result',
  shareWith: 'otc.mcsps.de/share-with',
  belongsTo: 'otc.mcsps.de/rds',
} as const;
