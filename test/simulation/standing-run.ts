// The hook as one of its requests in text: answers that stand are given again, and each of them is held against what the
// loop would say at that moment.

import type { Clock } from '../../src/clock.ts';
import type { HookAnswer } from '../../src/sync/answer.ts';
import type { SyncDeps } from '../../src/sync/deps.ts';
import { createLoop, type HookName, type Outcome, type RunHook } from '../../src/sync/loop.ts';
import { type HookRequest, readView } from '../../src/sync/request.ts';
import { createStandingAnswers } from '../../src/sync/standing-answers.ts';

export type RunRequest = (hook: HookName, request: HookRequest) => Promise<Outcome>;

export function standingRun(deps: SyncDeps, run: RunHook, differs: (words: string) => void): RunRequest {
  const { clock } = deps;
  const standing = createStandingAnswers(clock);
  /** With the same caches, nobody to wait for, and no look at the journal, which waits while an answer stands. */
  const anew = createLoop(deps, { isDue: () => false, note() {} });

  async function judge(request: HookRequest, said: string): Promise<void> {
    const outcome = await anew('sync', readView(request, clock.now()));
    const now = outcome.kind === 'answer' ? JSON.stringify(outcome.answer) : outcome.kind;
    if (now !== said) differs(`${said}, although it would be ${now}`);
  }

  return async (hook, request) => {
    const { uid } = request.parent.metadata;
    const call = hook === 'sync' ? standing.open(JSON.stringify(request)) : undefined;
    if (call?.answer) {
      await judge(request, call.answer.text);
      return { kind: 'answer', answer: JSON.parse(call.answer.text) as HookAnswer };
    }
    standing.forget(uid);
    const outcome = await run(hook, readView(request, clock.now()));
    const stands = outcome.kind === 'answer' ? outcome.stands?.() : undefined;
    if (outcome.kind === 'answer' && stands)
      call?.keep(outcome.answer, JSON.stringify(outcome.answer), stands);
    return outcome;
  };
}

/** Each request as an object, worked out every time. */
export const plainRun =
  (clock: Clock, run: RunHook): RunRequest =>
  (hook, request) =>
    run(hook, readView(request, clock.now()));
