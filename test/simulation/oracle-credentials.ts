// Credentials of log Jobs (protocol C10), judged by the cloud itself: noted before they are asked for, listed and in
// their Secret until they are dead, never written over, never two for one attempt.

import type { KubeObject } from '../../src/kube/api.ts';
import type { WatchEvent } from '../../src/local/watch.ts';
import type { OtcRequest, OtcResponse } from '../../src/otc/send.ts';
import { PART } from '../../src/rds/job-state.ts';
import { LOGS_PART } from '../../src/rds/log-children.ts';
import { type JobCredential, KEY_LIFE_SECONDS } from '../../src/rds/log-order.ts';
import { ANNOTATIONS } from '../../src/rds/names.ts';
import type { SimCloud } from './cloud.ts';
import { annotationOf, type Cluster, journalIn, statusOf } from './cluster.ts';
import type { Mortal } from './mortal.ts';
import { CALL_WINDOW_MS } from './oracle-cloud.ts';
import type { OtcSite } from './otc-sites.ts';
import type { Report } from './violation.ts';

/** By the file of a container: what is in its Secret. */
type Access = { form: string; token?: string; accessKey?: string };

const FOREGROUND = 'foregroundDeletion';
/** The attempt is the last part of the name. */
const orderIn = (name: string): string => name.slice(0, name.lastIndexOf('-'));

export function createCredentialOracle(cluster: Cluster, cloud: SimCloud, report: Report) {
  const noted = new Set<string>();
  const asked = new Set<string>();
  /** Key -> the credential that it was made for; a late one may come beside another. */
  const keysUnder = new Map<string, string>();
  let lastAsked = '';
  const contents = new Map<string, string>();
  const holderOf = new Map<string, string>();
  /** Logins that came back to a replica; those that it used itself, gave away with an answer, or tried to revoke. */
  const received = new Map<string, Mortal>();
  const accounted = new Set<string>();

  const isTokenAlive = (id: string): boolean => (cloud.world().tokens[id]?.expiresAt ?? 0) > cloud.now();
  const isKeyAlive = (id: string): boolean => (cloud.world().accessKeys[id]?.expiresAt ?? 0) > cloud.now();

  function accessIn(secret: KubeObject): Access[] {
    const data = Object.values((secret.data ?? {}) as Record<string, string>);
    return data.map((text) => JSON.parse(Buffer.from(text, 'base64').toString()) as Access);
  }

  function livingIn(secret: KubeObject): Access | undefined {
    return accessIn(secret).find(({ token, accessKey }) =>
      token === undefined ? isKeyAlive(accessKey ?? '') : isTokenAlive(token),
    );
  }

  function judgeJournal({ object }: WatchEvent): void {
    const after = journalIn(object);
    if (!after) return;
    const uid = object.metadata.name.slice('rds-'.length);
    const before = cluster.journal(uid)?.journal;
    const was = before?.credentials ?? [];
    const is = after.credentials ?? [];
    const without = (some: readonly JobCredential[], others: readonly JobCredential[]) =>
      some.filter((one) => !others.some(({ name }) => name === one.name));
    for (const one of without(is, was)) judgeNoted(uid, one, is, before?.closed !== undefined);
    for (const one of without(was, is)) judgeForgotten(uid, one);
    const order = after.logs?.order ?? 0;
    if (order > 0 && order > ordersOf(uid))
      report('logs-once-per-order', `${uid} has taken ${order} orders for logs`);
  }

  function judgeNoted(
    uid: string,
    one: JobCredential,
    listed: readonly JobCredential[],
    isClosed: boolean,
  ): void {
    const { name } = one;
    if (isClosed) report('one-credential-per-attempt', `${name} is noted after the end of ${uid}`);
    if (asked.has(name)) report('one-credential-per-attempt', `${name} is noted again`);
    const former = listed.find((other) => other.name !== name && orderIn(other.name) === orderIn(name));
    if (former && cluster.find('Secret', namespaceOf(uid), former.name))
      report('one-credential-per-attempt', `${name} is noted, and ${former.name} has reached its Job`);
    noted.add(name);
  }

  const namespaceOf = (uid: string): string => cluster.lastOf(uid)?.metadata.namespace ?? '';

  function judgeForgotten(uid: string, { name, form }: JobCredential): void {
    const isAlive =
      form === 'keys'
        ? [...keysUnder].some(([key, holder]) => holder === name && isKeyAlive(key))
        : [...holderOf].some(([token, holder]) => holder === name && isTokenAlive(token));
    if (isAlive) report('credential-listed-until-dead', `${uid} no longer lists ${name}, which still works`);
  }

  /** Every change of the annotation to another value is an order, and so is every `true` written into status. */
  function ordersOf(uid: string): number {
    const versions = cluster.versionsOf(uid).map(({ object }) => object);
    const values = versions.map((object) => annotationOf(object, ANNOTATIONS.logs));
    const booleans = versions.map((object) => statusOf(object).logs === true);
    return (
      values.filter((value, index) => value !== undefined && value !== values[index - 1]).length +
      booleans.filter((isOrdered, index) => isOrdered && !booleans[index - 1]).length
    );
  }

  function judgeSecret({ type, object }: WatchEvent): void {
    const { name } = object.metadata;
    if (type === 'DELETED') {
      judgeDropped(object);
      return;
    }
    const content = JSON.stringify(object.data);
    const known = contents.get(name);
    if (known !== undefined && known !== content)
      report('secret-never-overwritten', `${name} has another content than before`);
    contents.set(name, content);
    if (!noted.has(name)) report('credential-listed-until-dead', `${name} was never noted in a journal`);
    for (const { token } of accessIn(object)) {
      if (token === undefined) continue;
      const holder = holderOf.get(token);
      if (holder !== undefined && holder !== name)
        report('one-credential-per-attempt', `${name} holds the token of ${holder}`);
      holderOf.set(token, name);
    }
  }

  /** With the namespace, or in the foreground, others take it before anybody can revoke it. */
  function judgeDropped(secret: KubeObject): void {
    const living = livingIn(secret);
    if (!living) return;
    const { namespace = '', name, ownerReferences } = secret.metadata;
    const uid = ownerReferences?.[0]?.uid ?? '';
    const owner = cluster.lastOf(uid);
    const isTakenByOthers =
      cluster.isGoing('Namespace', namespace, 0) || owner?.metadata.finalizers?.includes(FOREGROUND);
    // A delete does not wait for keys: they expire by themselves.
    const mayExpire = living.form === 'keys' && (owner?.metadata.deletionTimestamp || !cluster.rdsByUid(uid));
    if (!isTakenByOthers && !mayExpire)
      report('credential-listed-until-dead', `Secret ${name} is gone and its ${living.form} still work`);
  }

  /** A login looks like any other: it may be for a Job only while one is noted and not seen. */
  function isOneAwaited(): boolean {
    return [...cluster.journals()].some(({ uid, journal }) =>
      (journal.credentials ?? []).some(
        ({ name, form, at }) =>
          form === 'token' &&
          cloud.now() - at < CALL_WINDOW_MS &&
          !cluster.find('Secret', namespaceOf(uid), name),
      ),
    );
  }

  /** One note, one question. Which Rds asks cannot be told from the call, but that one has noted it can. */
  function judgeKeys({ body = '' }: OtcRequest): void {
    // One that was made late belongs to the question before.
    noteKeys();
    const open = [...cluster.journals()]
      .flatMap(({ journal }) => journal.credentials ?? [])
      .filter(({ name, form }) => form === 'keys' && !asked.has(name))
      // The question follows its note at once; an older note may be of a replica that died before it could ask.
      .reduce<JobCredential | undefined>((last, one) => (last && last.at > one.at ? last : one), undefined);
    if (!open) {
      report('one-credential-per-attempt', 'keys are asked for without a note of their own');
      return;
    }
    asked.add(open.name);
    lastAsked = open.name;
    const isLimited =
      body.includes(`"duration_seconds":${KEY_LIFE_SECONDS}`) && body.includes('"Action":["rds:log:list"]');
    if (!isLimited) report('one-credential-per-attempt', `keys that may do more than read logs: ${body}`);
  }

  /** Who it was made for: keys are told apart by the moment. */
  function noteKeys(): void {
    for (const key of Object.keys(cloud.world().accessKeys))
      if (!keysUnder.has(key)) keysUnder.set(key, lastAsked);
  }

  cluster.onEvent((event) => {
    const { object } = event;
    if (object.kind === 'Lease' && event.type !== 'DELETED') judgeJournal(event);
    if (isCredential(object)) judgeSecret(event);
  });

  return {
    beforeSend(site: OtcSite, request: OtcRequest): void {
      for (const header of ['x-auth-token', 'x-subject-token']) {
        const token = request.headers[header];
        if (token !== undefined) accounted.add(token);
      }
      if (site === 'otc keys') judgeKeys(request);
    },
    afterSend(site: OtcSite, response: OtcResponse | undefined): void {
      if (site !== 'otc keys') return;
      // A definite no: nothing was issued, so it may be asked for once more.
      const { status = 0 } = response ?? {};
      if (status >= 400 && status < 500 && status !== 408) asked.delete(lastAsked);
      noteKeys();
    },
    received(mortal: Mortal, site: OtcSite, response: OtcResponse): void {
      const token = response.headers['x-subject-token'];
      // Of an answer that was cut short nothing is known.
      const isWhole = site === 'otc login' && response.body.endsWith('}');
      if (isWhole && token !== undefined && isOneAwaited()) received.set(token, mortal);
    },
    /** From here on it is Metacontroller's: an answer that gets lost cannot be helped (protocol, limit 6). */
    handedOver(children: readonly KubeObject[]): void {
      for (const child of children.filter(isCredential))
        for (const { token } of accessIn(child)) if (token !== undefined) accounted.add(token);
    },
    /** At the end: a token that a living replica got is its own, or out of its hands, or dead. */
    judgeLost(): void {
      for (const [token, replica] of received) {
        if (!replica.isAlive || accounted.has(token) || !isTokenAlive(token)) continue;
        report('credential-listed-until-dead', `${replica.name} got a token and let it live`);
      }
    },
  };
}

const isCredential = ({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): boolean =>
  kind === 'Secret' && metadata.labels?.[PART] === LOGS_PART;

/** What is left of orders for logs when all should be at rest. */
export function logsProblem(
  { cluster, clocksAgree }: { cluster: Cluster; clocksAgree: () => boolean },
  object: KubeObject,
): string | undefined {
  const { journal } = cluster.journal(object.metadata.uid ?? '') ?? {};
  const wanted = annotationOf(object, ANNOTATIONS.logs);
  const { logJob, handled, logs } = statusOf(object);
  if (logs === true) return 'status.logs is still true';
  if (wanted !== undefined && handled?.[ANNOTATIONS.logs] !== wanted)
    return `the logs ${wanted} were not read`;
  if (!journal?.logs) return undefined;
  if (journal.logs.state !== 'over') return `the order for logs is ${journal.logs.state}`;
  if (logJob?.state !== journal.logs.result?.state)
    return `the order for logs is ${journal.logs.result?.state}, told is ${logJob?.state}`;
  // One that reached no Secret can only be waited out: it stays on the list without anybody to look.
  const { namespace = '' } = object.metadata;
  const left = journal.credentials?.find(
    // A replica whose clock is slow drops the Secret of dead keys that much later.
    ({ name, form }) => (form === 'token' || clocksAgree()) && cluster.find('Secret', namespace, name),
  );
  return left && `the credential ${left.name} still has its Secret`;
}
