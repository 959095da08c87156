// Every answer of a hook call, judged against what it was shown and what the journal knew when it began.

import type { HookResponse } from '../../src/local/hook-call.ts';
import { deepEqual } from '../../src/rds/deep-equal.ts';
import { DRILL_PART } from '../../src/rds/drill-wish.ts';
import { PART } from '../../src/rds/job-state.ts';
import { drillName } from '../../src/rds/names.ts';
import type { HookAnswer } from '../../src/sync/answer.ts';
import type { HookName } from '../../src/sync/loop.ts';
import type { HookRequest } from '../../src/sync/request.ts';
import type { CallRate } from './call-rate.ts';
import { SECOND } from './clock.ts';
import type { Cluster } from './cluster.ts';
import type { History } from './history.ts';
import type { Mortal } from './mortal.ts';
import { mixed } from './random.ts';
import type { Report } from './violation.ts';

const ANSWER_MS = 24 * SECOND;

export type Ended = (response: HookResponse | Error, answer?: HookAnswer, isHeard?: boolean) => void;

export type AnswerOracleDeps = {
  cluster: Cluster;
  now: () => number;
  history: History | undefined;
  report: Report;
  tellsNothing(text: string, where: string): void;
  rate: CallRate;
};

type Child = {
  metadata: { name: string; deletionTimestamp?: string; labels?: Record<string, string> };
};

/** Jobs, their Secrets and the Secrets of users come and go; their oracles say when they may. */
const isDrill = ({ metadata }: Child): boolean => metadata.labels?.[PART] === DRILL_PART;
const isPassing = ({ metadata }: Child): boolean => metadata.labels?.[PART] !== undefined;

export function createAnswerOracle({ cluster, now, history, report, tellsNothing, rate }: AnswerOracleDeps) {
  const lastTold = new Map<string, HookAnswer['status']>();

  function judgeStatus(parent: HookRequest['parent'], answer: HookAnswer, knownId: string | undefined): void {
    const { uid, name } = parent.metadata;
    const told = answer.status.id;
    if (knownId !== undefined && told !== knownId) {
      report('status-keeps-id', `an answer for ${name} tells the id ${told}, the journal had ${knownId}`);
    }
    const before = (parent.status as { id?: string } | undefined)?.id;
    const written = cluster.journal(uid)?.journal.id;
    if (told !== undefined && told !== written && told !== before) {
      report('status-keeps-id', `an answer for ${name} tells the id ${told} before the journal has it`);
    }
  }

  /** A status that says what the last one said was judged already. */
  function judgeText(uid: string, name: string, { status }: HookAnswer): void {
    if (deepEqual(lastTold.get(uid), status)) return;
    lastTold.set(uid, status);
    tellsNothing(JSON.stringify(status), `the status of ${name}`);
  }

  function judgeChildren({ parent, children }: HookRequest, answer: HookAnswer): void {
    const isAnswered = (wanted: string, name: string) =>
      answer.children.some(({ kind, metadata }) => metadata.name === name && kind === wanted);
    for (const [group, shown] of Object.entries(children)) {
      const kind = group.slice(0, group.indexOf('.'));
      for (const child of Object.values(shown) as Child[]) {
        const mayGo = isDrill(child) ? isOverDrill(parent.metadata.uid, child) : isPassing(child);
        if (mayGo || child.metadata.deletionTimestamp || isAnswered(kind, child.metadata.name)) continue;
        report(
          'children-never-shrink',
          `an answer for ${parent.metadata.name} leaves out ${kind} ${child.metadata.name}`,
        );
      }
    }
  }

  /** The Secret of a drill goes as soon as its result is in the journal. */
  function isOverDrill(uid: string, { metadata }: Child): boolean {
    const run = cluster.journal(uid)?.journal.drill?.run;
    const isOver = !run || run.result !== undefined || drillName(uid, run.slot) !== metadata.name;
    return isOver;
  }

  function judgeTime(startedAt: number, hook: HookName, name: string): void {
    const took = now() - startedAt;
    if (took > ANSWER_MS) report('answer-in-time', `${hook} of ${name} took ${(took / SECOND).toFixed(1)} s`);
  }

  return {
    began(hook: HookName, request: HookRequest, replica: Mortal): Ended {
      const { parent } = request;
      const { uid, name } = parent.metadata;
      const startedAt = now();
      const { pauses } = replica;
      const knownId = cluster.journal(uid)?.journal.id;
      rate.count(`${name} (${uid})`);
      history?.note(`${replica.name} ${hook} ${name} rv ${parent.metadata.resourceVersion}`);
      return (response, answer) => {
        if (!replica.isAlive) return;
        if (replica.pauses === pauses) judgeTime(startedAt, hook, name);
        if (response instanceof Error) {
          history?.note(`${replica.name} ${hook} ${name} threw ${response.message}`);
          report('no-bug', `${hook} of ${name}: ${response.stack ?? response.message}`);
          return;
        }
        history?.note(
          `${replica.name} ${hook} ${name} -> ${response.status} ${mixed(0, response.body)}${summary(answer)}`,
        );
        if (!answer) return tellsNothing(response.body, `the body of a ${response.status}`);
        judgeStatus(parent, answer, knownId);
        judgeText(uid, name, answer);
        judgeChildren(request, answer);
        if (answer.finalized && parent.metadata.deletionTimestamp === undefined) {
          report('no-orphan', `${name} is not being deleted and was answered with finalized`);
        }
      };
    },
  };
}

function summary(answer: HookAnswer | undefined): string {
  if (!answer) return '';
  const words =
    answer.status.conditions?.map(({ type, status, reason }) => `${type}=${status}/${reason}`) ?? [];
  return ` ${answer.status.phase} ${words.join(' ')}${answer.finalized ? ' finalized' : ''} again in ${answer.resyncAfterSeconds} s`;
}
