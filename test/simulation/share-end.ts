// When faults have stopped: is a copy exactly where both sides agree, as its source is, and is everybody told?

import type { KubeObject } from '../../src/kube/api.ts';
import { ANNOTATIONS, connectionSecretName, userSecretName } from '../../src/rds/names.ts';
import { annotationOf, type Cluster } from './cluster.ts';
import { contentOf, isCopy, isGivenTo, ownerOf, wordsOf } from './share-consent.ts';

/** The Secret that a wish must have brought by now. */
function dueFor(cluster: Cluster, namespace: string, wish: string): KubeObject | undefined {
  const [from = '', name = '', user] = wish.split('/');
  const rds = cluster.findRds(from, name);
  const secret = user === undefined ? connectionSecretName(name) : userSecretName(name, 'app', '%');
  const source = cluster.find('Secret', from, secret);
  if (!rds || !source || ownerOf(source)?.uid !== rds.metadata.uid || from === namespace) return undefined;
  return isGivenTo(rds, namespace, { namespace: from, rds: name, secret }) ? source : undefined;
}

type Granted = { copyName: string; problem: string | undefined };

/** undefined: the wish brings nothing. */
function granted(cluster: Cluster, namespace: string, wish: string, says: string): Granted | undefined {
  const source = dueFor(cluster, namespace, wish);
  if (!source) return undefined;
  const copyName = `${source.metadata.namespace}.${source.metadata.name}`;
  const copy = cluster.find('Secret', namespace, copyName);
  if (copy && !isCopy(copy)) return undefined;
  const checks: [boolean, string][] = [
    [copy !== undefined, `both sides agree on ${wish}, and ${copyName} is missing; told is "${says}"`],
    [copy !== undefined && contentOf(copy) === contentOf(source), `${copyName} is not as its source`],
    [says === `Secret ${copyName}`, `${wish} was granted, told is "${says}"`],
  ];
  return { copyName, problem: checks.find(([holds]) => !holds)?.[1] };
}

/** Refusals have reasons: a name that is taken, a wild card. */
function refusalProblem(cluster: Cluster, namespace: string, wish: string, says: string): string | undefined {
  const isTaken = dueFor(cluster, namespace, wish) !== undefined;
  const words = isTaken ? /another Secret/ : wish.includes('*') ? /wild card/ : /^(?!Secret )./;
  return words.test(says) ? undefined : `${wish} was not granted, told is "${says}"`;
}

export function sharingProblem(cluster: Cluster, namespace: KubeObject): string | undefined {
  const { name, uid = '' } = namespace.metadata;
  const wishes = [...new Set(wordsOf(annotationOf(namespace, ANNOTATIONS.useRds)))];
  const told = annotationOf(namespace, ANNOTATIONS.useRdsResult)?.split('; ') ?? [];
  const due = new Set<string>();
  for (const wish of wishes) {
    const says = told.find((text) => text.startsWith(`${wish}: `))?.slice(wish.length + 2) ?? '';
    const grant = granted(cluster, name, wish, says);
    if (grant) due.add(grant.copyName);
    const problem = grant ? grant.problem : refusalProblem(cluster, name, wish, says);
    if (problem !== undefined) return problem;
  }
  if (told.length !== wishes.length) return `${wishes.length} wishes, told is "${told.join('; ')}"`;
  const left = cluster.secretsOf(name, uid).find(({ metadata }) => !due.has(metadata.name));
  return left && `${left.metadata.name} is left, and nobody agrees on it`;
}
