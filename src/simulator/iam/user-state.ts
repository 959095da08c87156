// Whether the account's user may log in at all; set from outside.
import { type Refusal, refuse } from '../refusal.ts';
import type { World } from '../world.ts';
import type { UserState } from './types.ts';

export const USER_STATES: readonly UserState[] = ['active', 'locked', 'disabled', 'console-only'];

const refusals: Record<Exclude<UserState, 'active'>, () => Refusal> = {
  locked: () => refuse(401, 'IAM.0061', 'The account is locked.'),
  disabled: () => refuse(403, 'IAM.0082', 'The user is disabled.'),
  'console-only': () => refuse(403, 'IAM.0081', 'The user may use the console only.'),
};

export function requireUserMayLogIn({ userState }: World): void {
  if (userState !== 'active') throw refusals[userState]();
}

/** A disabled user loses at once what he holds; the real cloud takes up to half an hour. */
export function setUserState(world: World, state: UserState): void {
  world.userState = state;
  if (state !== 'disabled') return;
  for (const id of Object.keys(world.tokens)) delete world.tokens[id];
  for (const access of Object.keys(world.accessKeys)) delete world.accessKeys[access];
}
