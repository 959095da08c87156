// Metacontroller's call to a hook and its bad days: cut, lost, doubled, answered too late or by a dying replica.

import type { Clock } from '../../src/clock.ts';
import type { CallHook, HookResponse } from '../../src/local/hook-call.ts';
import type { Decision, Decisions } from './decisions.ts';
import type { History } from './history.ts';
import type { Chance } from './random.ts';
import type { Replica } from './replica.ts';

const CALL = [
  'not-reached',
  'cut-at-once',
  'cut-later',
  'answer-lost',
  'timeout',
  'answer-late',
  'doubled',
  'kill-before',
  'kill-after',
] as const;

const CUSTOMIZE = ['not-reached', 'answer-lost', 'old-answer', 'kill-before'] as const;

export const HOOK_SITES = {
  'hook /sync': CALL,
  'hook /finalize': CALL,
  'hook /customize': CUSTOMIZE,
  'hook /rdsbackup/sync': CALL,
  'hook /rdsbackup/finalize': CALL,
  'hook /rdsbackup/customize': CUSTOMIZE,
  'hook /share/sync': CALL,
  'hook /share/customize': CUSTOMIZE,
} as const satisfies Record<string, readonly string[]>;

export type HookCallDeps = {
  clock: Clock;
  chance: Chance;
  decisions: Decisions;
  history: History | undefined;
  /** One of the replicas that are up; undefined when none is. */
  replica(name: string): Replica | undefined;
};

const CUT_MS = 6_000;
const LATE_ANSWER_MS = 25_000;

export function createHookCall(deps: HookCallDeps): CallHook {
  const { clock, chance, decisions, history } = deps;
  const firstAnswers = new Map<string, HookResponse>();
  let count = 0;

  const refused = (): Promise<never> => Promise.reject(new Error('connection refused'));

  async function undergo(
    decision: Decision,
    path: string,
    send: (isHeard?: () => boolean) => Promise<HookResponse>,
    replica: Replica,
  ): Promise<HookResponse> {
    const answer = send;
    switch (decision.kind) {
      case 'not-reached':
        return refused();
      case 'kill-before':
        replica.kill();
        return refused();
      case 'cut-at-once':
        ignore(answer(() => false));
        return refused();
      case 'cut-later': {
        let isCut = false;
        ignore(answer(() => !isCut));
        await clock.sleep(20 + chance.below(`${decision.key} cut`, CUT_MS));
        isCut = true;
        return refused();
      }
      case 'answer-lost':
        await answer();
        return refused();
      case 'kill-after':
        await answer();
        replica.kill();
        return refused();
      case 'timeout':
        ignore(answer());
        return new Promise<never>(() => {});
      case 'answer-late': {
        const late = await answer();
        await clock.sleep(500 + chance.below(`${decision.key} late`, LATE_ANSWER_MS));
        return late;
      }
      case 'doubled': {
        const other = deps.replica(`${decision.key} double`);
        if (other) ignore(other.call(path, lastBody));
        return answer();
      }
      default:
        return answer();
    }
  }

  let lastBody: unknown;

  return async (path, body) => {
    count += 1;
    const site = `hook ${path}` as keyof typeof HOOK_SITES;
    const decision = decisions.at(site, HOOK_SITES[site]);
    const replica = deps.replica(`call ${count}`);
    if (decision) history?.note(`metacontroller calls ${path} [${decision.kind}]`);
    if (!replica) return refused();
    lastBody = body;
    if (path.endsWith('/customize')) {
      const { uid = '' } = (body as { parent: { metadata: { uid?: string } } }).parent.metadata;
      const old = firstAnswers.get(uid);
      if (decision?.kind === 'old-answer' && old) return old;
      const response = decision
        ? await undergo(decision, path, () => replica.call(path, body), replica)
        : await replica.call(path, body);
      if (!old) firstAnswers.set(uid, response);
      return response;
    }
    return decision
      ? undergo(decision, path, (isHeard) => replica.call(path, body, isHeard), replica)
      : replica.call(path, body);
  };
}

function ignore(work: Promise<unknown>): void {
  work.catch(() => {});
}
