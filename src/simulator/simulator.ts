// Open Telekom Cloud in a box: answers the cloud's protocol without sockets, timers or chance of its own.
// States move when the clock has moved: every call first applies what has become due.
import { type OtcRequest, type OtcResponse, type Send, SendError } from '../otc/send.ts';
import type { Alarm } from './ces/types.ts';
import { createCloud } from './cloud.ts';
import { control, isControl } from './control.ts';
import type { Fault, FaultEntry } from './faults.ts';
import type { AccessKey, Token } from './iam/types.ts';
import { type SimulatorOptions, settingsFrom } from './options.ts';
import { asText } from './protocol.ts';
import type { Backup, Instance, Job } from './rds/types.ts';
import type { SimulatorRequest } from './request.ts';
import { readSave, writeSave } from './save.ts';
import type { Deliver, Message } from './smn/types.ts';
import type { Outcome } from './wire-faults.ts';
import { cloneOf, type WorldEvent } from './world.ts';

/** What is really so, for the oracles of tests. Each read gives a copy as of now. */
export type SimulatorState = {
  readonly instances: Instance[];
  readonly backups: Backup[];
  readonly jobs: Job[];
  readonly events: WorldEvent[];
  /** Events by kind: how often something really happened. */
  readonly counts: Record<string, number>;
  /** Not yet revoked or expired. */
  readonly tokens: Token[];
  readonly accessKeys: AccessKey[];
  readonly alarms: Alarm[];
  /** Of SMN, one for each endpoint. */
  readonly messages: Message[];
};

export type Simulator = {
  /** Throws SendError when a fault loses the answer. */
  handle(request: SimulatorRequest): Promise<OtcResponse>;
  send: Send;
  state: SimulatorState;
  faults: { add(fault: Fault): FaultEntry; clear(): void; list(): FaultEntry[] };
  calls(): Record<string, Record<string, number>>;
  reset(): void;
  /** Does what has become due. Every call does so too; this is for real databases that nobody asks about. */
  settle(): void;
  /** How messages of SMN get to their endpoints, unless the options say it. */
  deliverBy(deliver: Deliver): void;
  /** Resolves when no message is under way. */
  delivered(): Promise<void>;
  save(): string;
  load(saved: string): void;
};

export function createSimulator(options: SimulatorOptions = {}): Simulator {
  const settings = settingsFrom(options);
  const { clock } = settings;
  const cloud = createCloud(settings);

  function exchange(request: SimulatorRequest, origin?: string): Outcome {
    if (isControl(request.url.split('?', 1)[0] ?? ''))
      return { kind: 'answer', answer: control(cloud, request), delayMs: 0 };
    const outcome = cloud.exchange(request, origin);
    return outcome.kind === 'answer' ? { ...outcome, answer: asText(outcome.answer) } : outcome;
  }

  async function handle(request: SimulatorRequest): Promise<OtcResponse> {
    const outcome = exchange(withLowerCaseHeaders(request));
    if (settings.hosting) await settings.hosting.quiet();
    if (outcome.kind === 'lost') throw lost(outcome.code);
    if (outcome.delayMs > 0) await clock.sleep(outcome.delayMs);
    return outcome.answer;
  }

  async function send(request: OtcRequest): Promise<OtcResponse> {
    const url = new URL(request.url);
    const { method, body, deadlineMs } = request;
    const headers = { host: url.host, ...request.headers };
    const outcome = exchange(
      withLowerCaseHeaders({ method, url: url.pathname + url.search, headers, body }),
      url.origin,
    );
    if (settings.hosting) await settings.hosting.quiet();
    if (outcome.kind === 'lost' && outcome.code === 'CONNECTION') throw lost('CONNECTION');
    if (outcome.kind === 'lost' || outcome.delayMs > deadlineMs) {
      await clock.sleep(deadlineMs);
      throw lost('TIMEOUT');
    }
    if (outcome.delayMs > 0) await clock.sleep(outcome.delayMs);
    return outcome.answer;
  }

  const now = () => cloud.settle();
  const state: SimulatorState = {
    get instances() {
      return Object.values(structuredClone(now().world.instances));
    },
    get backups() {
      return Object.values(structuredClone(now().world.backups));
    },
    get jobs() {
      return Object.values(structuredClone(now().world.jobs));
    },
    get events() {
      return structuredClone(now().world.events);
    },
    get counts() {
      const counts: Record<string, number> = {};
      for (const { kind } of now().world.events) counts[kind] = (counts[kind] ?? 0) + 1;
      return counts;
    },
    get tokens() {
      return Object.values(now().world.tokens).filter((token) => token.expiresAt > clock.now());
    },
    get accessKeys() {
      return Object.values(now().world.accessKeys).filter((key) => key.expiresAt > clock.now());
    },
    get alarms() {
      return Object.values(structuredClone(now().world.alarms));
    },
    get messages() {
      return Object.values(structuredClone(now().world.messages));
    },
  };

  return {
    handle,
    send,
    state,
    faults: { add: cloud.faults.add, clear: cloud.faults.clear, list: cloud.faults.list },
    calls: () => cloneOf(now().world.calls),
    reset: cloud.reset,
    settle: () => void now(),
    deliverBy: cloud.deliverBy,
    delivered: cloud.delivered,
    save: () => writeSave({ world: now().world, faults: cloud.faults.list() }),
    load(saved) {
      const { world, faults } = readSave(saved);
      cloud.become(world);
      cloud.faults.restore(faults);
    },
  };
}

const lost = (code: SendError['code']): SendError =>
  new SendError(code, code === 'TIMEOUT' ? 'No answer within the deadline.' : 'The connection was reset.');

const withLowerCaseHeaders = (request: SimulatorRequest): SimulatorRequest => ({
  ...request,
  headers: Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
  ),
});
