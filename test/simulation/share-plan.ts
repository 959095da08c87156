// Who asks for which Secret, who allows it, and who gets in the way: the part of a plan that is about sharing.

import { MINUTE, SECOND } from './clock.ts';
import type { Chance } from './random.ts';
import type { Target } from './target.ts';

export type ShareDeed =
  /** On the Rds; null takes it back. */
  | { do: 'allow'; value: string | null }
  /** On a namespace, which is made when it is not there; null takes it back. */
  | { do: 'ask'; by: string; value: string | null }
  /** Somebody's own Secret has the name that the copy would have. */
  | { do: 'take name'; in: string }
  | { do: 'give name back'; in: string }
  | { do: 'edit copy'; in: string }
  | { do: 'delete copy'; in: string }
  /** A Secret elsewhere that has the name and the marks of the connection Secret. */
  | { do: 'forge'; in: string }
  | { do: 'asking namespace goes'; name: string };

export const SHARE_DEEDS = [
  'allow',
  'ask',
  'take name',
  'give name back',
  'edit copy',
  'delete copy',
  'forge',
  'asking namespace goes',
] as const satisfies readonly ShareDeed['do'][];

export const isShareDeed = (deed: { do: string }): deed is ShareDeed =>
  (SHARE_DEEDS as readonly string[]).includes(deed.do);

/** Of all schedules. */
const SHARING_SHARE = 0.2;
const ASKING = ['app-1', 'app-2', 'team-b'] as const;

export const sharesIn = (chance: Chance): boolean => chance.of('shared') < SHARING_SHARE;

type Add = (at: number, target: Target, deed: ShareDeed | Past) => void;
/** An old picture in the caches of Metacontroller. */
type Past = { do: 'namespace goes back' | 'copy goes back'; namespace: string; versions: number };

export function addSharing(chance: Chance, targets: readonly Target[], chaosMs: number, add: Add): void {
  for (const [index, target] of targets.entries()) {
    const name = `sharing ${index}`;
    add(45 * SECOND + chance.below(`${name} allow`, 2 * MINUTE), target, {
      do: 'allow',
      value: chance.pick(`${name} first`, ['app-1', 'app-1,app-2', 'app-1,team-b', 'app-2/app']),
    });
    add(chance.below(`${name} ask`, 3 * MINUTE), target, {
      do: 'ask',
      by: chance.pick(`${name} first by`, ['app-1', 'app-2']),
      value: wishFor(chance, `${name} first wish`, target),
    });
  }
  const count = 6 + chance.below('sharing deeds', 7);
  for (let index = 0; index < count; index += 1) {
    const name = `sharing deed ${index}`;
    const target = chance.pick(`${name} target`, targets);
    add(MINUTE + chance.of(`${name} at`) * (chaosMs - MINUTE), target, shareDeed(chance, name, target));
  }
}

function wishFor(chance: Chance, name: string, { namespace, name: rds }: Target): string {
  return chance.pick(name, [
    `${namespace}/${rds}`,
    `${namespace}/${rds}`,
    `${namespace}/${rds}/app`,
    `${namespace}/${rds}, ${namespace}/${rds}/app`,
    `${namespace}/*, ${namespace}/${rds}`,
  ]);
}

function shareDeed(chance: Chance, name: string, target: Target): ShareDeed | Past {
  const what = chance.of(`${name} what`);
  const by = chance.pick(`${name} by`, ASKING);
  if (what < 0.25)
    return {
      do: 'allow',
      value: chance.pick(`${name} value`, [null, 'app-1', 'app-2,app-1', 'app-1/app', '*', 'app-*,team-b']),
    };
  if (what < 0.5)
    return {
      do: 'ask',
      by,
      value: chance.of(`${name} back`) < 0.35 ? null : wishFor(chance, `${name} wish`, target),
    };
  if (what < 0.58) return { do: 'take name', in: by };
  if (what < 0.62) return { do: 'give name back', in: by };
  if (what < 0.68) return { do: 'edit copy', in: by };
  if (what < 0.73) return { do: 'delete copy', in: by };
  if (what < 0.78) return { do: 'forge', in: by };
  if (what < 0.82)
    return { do: 'asking namespace goes', name: chance.pick(`${name} name`, ['app-1', 'app-2']) };
  return {
    do: what < 0.92 ? 'namespace goes back' : 'copy goes back',
    namespace: by,
    versions: 1 + chance.below(`${name} versions`, 4),
  };
}
