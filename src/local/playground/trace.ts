// Who called whom: each hook call with the calls to the cloud that it caused. Nothing of the service knows of
// it: Fastify's own diagnostics channel tells when a handler starts, and async context leads from there to
// every call that is made for it.

import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { FastifyRequest } from 'fastify';
import type { KubeObject } from '../../kube/api.ts';
import { type OtcRequest, type Send, SendError } from '../../otc/send.ts';
import type { CallHook, HookResponse } from '../hook-call.ts';
import { isRecord, type JsonRecord } from '../json.ts';
import type { CloudCall, NewEntry, Timeline } from './timeline.ts';

export type Trace = {
  watchSend(send: Send): Send;
  watchHook(call: CallHook): CallHook;
  /** Calls to the cloud since the start. */
  cloudCalls(): number;
  close(): void;
};

type Ticket = { calls: CloudCall[] };

const handlerStarts = channel('tracing:fastify.request.handler:start');

export function createTrace(timeline: Timeline, elapsed: () => number): Trace {
  const context = new AsyncLocalStorage<Ticket | undefined>();
  const open = new Map<string, Ticket>();
  let cloudCalls = 0;

  handlerStarts.bindStore(context, (message) => {
    const { request } = message as { request: FastifyRequest };
    return open.get(ticketKey(request.url, request.body));
  });

  async function traced(send: Send, request: OtcRequest) {
    const ticket = context.getStore();
    const startedAt = elapsed();
    const told = (result: string) => {
      cloudCalls += 1;
      const { method, route } = request;
      ticket?.calls.push({ method, route, result, ms: Math.round(elapsed() - startedAt) });
    };
    try {
      const answer = await send(request);
      told(`${answer.status}`);
      return answer;
    } catch (error) {
      told(error instanceof SendError ? error.code : 'failed');
      throw error;
    }
  }

  return {
    watchSend: (send) => (request) => traced(send, request),
    watchHook: (call) => async (path, body, timeoutMs) => {
      const key = ticketKey(path, body);
      const ticket: Ticket = { calls: [] };
      open.set(key, ticket);
      const rds = rdsOf(body);
      try {
        const response = await call(path, body, timeoutMs);
        timeline.add(rds, { ...answered(path, body, response), calls: ticket.calls });
        return response;
      } catch (error) {
        timeline.add(rds, { ...unanswered(path, body, error), calls: ticket.calls });
        throw error;
      } finally {
        if (open.get(key) === ticket) open.delete(key);
      }
    },
    cloudCalls: () => cloudCalls,
    close: () => void handlerStarts.unbindStore(context),
  };
}

const parentOf = (body: unknown): KubeObject | undefined =>
  isRecord(body) && isRecord(body.parent) ? (body.parent as KubeObject) : undefined;

const ticketKey = (path: string, body: unknown): string => `${path} ${parentOf(body)?.metadata.uid}`;

/** A backup is told in the story of its database. */
function rdsOf(body: unknown): string {
  const parent = parentOf(body);
  const spec = isRecord(parent?.spec) ? parent.spec : {};
  const name = parent?.kind === 'RdsBackup' && spec.rds ? spec.rds : parent?.metadata.name;
  return `${parent?.metadata.namespace}/${name}`;
}

function titleOf(path: string, body: unknown): string {
  const parent = parentOf(body);
  const hook = path.split('/').at(-1) ?? path;
  return parent?.kind === 'RdsBackup' ? `${hook} of backup ${parent.metadata.name}` : hook;
}

function answered(path: string, body: unknown, response: HookResponse): NewEntry {
  const title = titleOf(path, body);
  const answer = parsed(response.body);
  if (response.status !== 200) {
    const tone = response.status === 429 ? 'plain' : 'warn';
    return { kind: 'hook', tone, title, text: `Answered ${response.status}: ${answer.message ?? ''}` };
  }
  const status = isRecord(answer.status) ? answer.status : {};
  const parts = [
    answer.finalized === true ? 'Finalized: the object may go' : status.phase,
    answer.resyncAfterSeconds ? `next call in ${answer.resyncAfterSeconds} s` : undefined,
  ].filter(Boolean);
  return { kind: 'hook', tone: 'plain', title, text: parts.join(', ') || 'Answered' };
}

function unanswered(path: string, body: unknown, error: unknown): NewEntry {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return {
    kind: 'hook',
    tone: 'bad',
    title: titleOf(path, body),
    text: `No answer${code ? ` (${code})` : ''}; Metacontroller tries again.`,
  };
}

function parsed(text: string): JsonRecord {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
