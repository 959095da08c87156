// What a pod is given that nobody may read. Whatever it mounts comes through here, so no value is missed: each one
// as a whole, and each text inside where it is JSON.

import type { KubeCall } from '../../kube/api.ts';
import { isRecord } from '../json.ts';

/** Shorter ones stand in too many harmless places. */
const SHORTEST = 8;

/** The same way to the API server; values of Secrets that are read on it are added to `learned`. */
export function learningSecrets(kube: KubeCall, learned: Set<string>): KubeCall {
  return async (request) => {
    const answer = await kube(request);
    if (isRecord(answer.body) && answer.body.kind === 'Secret')
      for (const value of valuesOf(answer.body.data)) learned.add(value);
    return answer;
  };
}

function valuesOf(data: unknown): string[] {
  return Object.values(isRecord(data) ? data : {})
    .map((value) => Buffer.from(String(value), 'base64').toString())
    .flatMap((text) => [text.trim(), ...textsIn(parsed(text))])
    .filter((text) => text.length >= SHORTEST);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
