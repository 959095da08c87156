// Sharing as both sides see it: nothing without the consent of both, nothing but what the source held, nobody else's
// Secret touched, and nothing taken away while both agree.

import type { KubeObject } from '../../src/kube/api.ts';
import type { HookResponse } from '../../src/local/hook-call.ts';
import { ANNOTATIONS } from '../../src/rds/names.ts';
import type { CallRate } from './call-rate.ts';
import { SECOND } from './clock.ts';
import { type Cluster, keyOf } from './cluster.ts';
import type { History } from './history.ts';
import type { Mortal } from './mortal.ts';
import {
  contentOf,
  isAskedFor,
  isCopy,
  isGivenTo,
  ownerOf,
  type Source,
  sourceOf,
  wordsOf,
} from './share-consent.ts';
import { sharingProblem } from './share-end.ts';
import type { Sharers } from './share-people.ts';
import type { Report } from './violation.ts';

/** From the live reads of a call to the last write of the round: answers may be late, and each write slow. */
const LAG_MS = 100 * SECOND;
const ANSWER_MS = 24 * SECOND;
type Wish = { since: number; until: number; wishes: readonly string[] };

export type ShareOracleDeps = {
  cluster: Cluster;
  sharers: Sharers;
  now: () => number;
  history: History | undefined;
  report: Report;
  /** Did the API server say of an Rds that it is gone, within this time? */
  isLiedTo(withinMs: number): boolean;
  rate: CallRate;
  tellsNothing(text: string, where: string): void;
};

export function createShareOracle(deps: ShareOracleDeps) {
  const { cluster, sharers, now, history, report, tellsNothing, isLiedTo, rate } = deps;
  /** What each namespace asked for, and when. */
  const asked = new Map<string, Wish[]>();
  /** Every content that the Secret of an Rds ever had, by its place. */
  const held = new Map<string, Set<string>>();
  /** Secrets under the name of a copy that are somebody's own, and since when. */
  const foreign = new Map<string, number>();
  const contents = new Map<string, string>();
  /** Since when the Secret of an Rds is there without a break. */
  const thereSince = new Map<string, number>();

  const namesakes = ({ namespace, rds }: Source): string[] =>
    cluster.uids().filter((uid) => {
      const { metadata } = cluster.lastOf(uid) ?? {};
      return metadata?.namespace === namespace && metadata.name === rds;
    });

  function noteNamespace({ metadata }: KubeObject, isGone: boolean): void {
    const past = asked.get(metadata.name) ?? [];
    const last = past.at(-1);
    if (last?.until === Number.POSITIVE_INFINITY) last.until = now();
    const wishes = isGone ? [] : wordsOf(metadata.annotations?.[ANNOTATIONS.useRds]);
    asked.set(metadata.name, [...past, { since: now(), until: Number.POSITIVE_INFINITY, wishes }]);
    tellsNothing(JSON.stringify(metadata.annotations ?? {}), `the annotations of ${metadata.name}`);
  }

  function wasAgreed(namespace: string, source: Source): boolean {
    const from = now() - LAG_MS;
    const isAsked = (asked.get(namespace) ?? []).some(
      ({ until, wishes }) => until >= from && isAskedFor(source, wishes),
    );
    const versions = namesakes(source).flatMap((uid) => cluster.recent(uid, LAG_MS));
    return isAsked && versions.some((rds) => isGivenTo(rds, namespace, source));
  }

  /** Nobody who looked within the lag can have seen a reason to withdraw. */
  function isAgreedThroughout(namespace: string, source: Source): boolean {
    const from = now() - LAG_MS;
    const wishes = (asked.get(namespace) ?? []).filter(({ until }) => until >= from);
    const isAsked =
      (wishes[0]?.since ?? now()) <= from && wishes.every((one) => isAskedFor(source, one.wishes));
    const isThere = (thereSince.get(`${source.namespace}/${source.secret}`) ?? now()) <= from;
    const living = namesakes(source).filter((uid) => cluster.rdsByUid(uid));
    const isGiven = living.some(
      (uid) =>
        (cluster.versionsOf(uid)[0]?.since ?? now()) <= from &&
        cluster.recent(uid, LAG_MS).every((rds) => isGivenTo(rds, namespace, source)),
    );
    return isAsked && isThere && isGiven;
  }

  function judgeWithdrawal(copy: KubeObject, source: Source): void {
    const { namespace = '' } = copy.metadata;
    if (cluster.isGoing('Namespace', namespace, 0) || isLiedTo(LAG_MS)) return;
    if (isAgreedThroughout(namespace, source))
      report('copy-stays', `${keyOf(copy)} was taken away although both sides agree`);
  }

  function judgeCopy(copy: KubeObject, source: Source): void {
    const { namespace = '' } = copy.metadata;
    if (!wasAgreed(namespace, source))
      report('shared-with-consent', `${keyOf(copy)} was written although the two sides do not agree`);
    if (!held.get(`${source.namespace}/${source.secret}`)?.has(contentOf(copy)))
      report('copy-of-its-source', `${keyOf(copy)} holds what its source never held`);
  }

  /** A name that was taken a moment ago may be written over: the look and the write are two calls. */
  function judgeForeign(key: string, type: string, secret: KubeObject): boolean {
    const since = foreign.get(key);
    if (since === undefined) return false;
    const isKept = type !== 'DELETED' && !isCopy(secret) && contents.get(key) === contentOf(secret);
    if (isKept) return true;
    foreign.delete(key);
    const isGoing = cluster.isGoing('Namespace', secret.metadata.namespace ?? '', 0);
    if (!isGoing && now() - since > LAG_MS)
      report('foreign-secret-untouched', `${key} is somebody else's and was ${type}`);
    return type === 'DELETED';
  }

  function noteCopy(type: string, secret: KubeObject, source: Source): void {
    const key = keyOf(secret);
    if (sharers.isByHand()) {
      if (type === 'ADDED' && !isCopy(secret)) foreign.set(key, now());
      else foreign.delete(key);
    } else if (!judgeForeign(key, type, secret)) {
      const isNew = type === 'ADDED' || contents.get(key) !== contentOf(secret);
      if (type === 'DELETED') judgeWithdrawal(secret, source);
      else if (isNew) judgeCopy(secret, source);
    }
    if (type === 'DELETED') contents.delete(key);
    else contents.set(key, contentOf(secret));
  }

  function noteSecret(type: string, secret: KubeObject): void {
    const source = sourceOf(secret.metadata.name);
    const key = keyOf(secret);
    if (source) noteCopy(type, secret, source);
    else if (type === 'DELETED') thereSince.delete(key);
    else if (ownerOf(secret)?.kind === 'Rds') {
      thereSince.set(key, thereSince.get(key) ?? now());
      held.set(key, (held.get(key) ?? new Set()).add(contentOf(secret)));
    }
  }

  cluster.onEvent(({ type, object }) => {
    if (object.kind === 'Namespace') noteNamespace(object, type === 'DELETED');
    if (object.kind === 'Secret') noteSecret(type, object);
  });

  const living = () => cluster.namespaces().filter(({ metadata }) => !metadata.deletionTimestamp);

  return {
    /** A call for a namespace begins; its end is judged. */
    began(name: string, replica: Mortal): (response: HookResponse | Error) => void {
      const startedAt = now();
      rate.count(`namespace ${name}`);
      return (response) => {
        if (!replica.isAlive) return;
        if (now() - startedAt > ANSWER_MS) report('answer-in-time', `a call for namespace ${name}`);
        if (response instanceof Error) return report('no-bug', `share of ${name}: ${response.stack}`);
        history?.note(`${replica.name} share ${name} -> ${response.status}`);
        if (response.status !== 200) tellsNothing(response.body, `the body of a ${response.status}`);
      };
    },
    /** What is still wrong when the faults are over. */
    unfinished(): string | undefined {
      for (const namespace of living()) {
        const problem = sharingProblem(cluster, namespace);
        if (problem !== undefined) return `namespace ${namespace.metadata.name}: ${problem}`;
      }
      return undefined;
    },
    /** Namespaces and copies as they are stored, to see whether anybody writes them at rest. */
    versions: (): string[] =>
      living().flatMap((namespace) =>
        [namespace, ...cluster.secretsOf(namespace.metadata.name, namespace.metadata.uid ?? '')].map(
          ({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`,
        ),
      ),
  };
}
