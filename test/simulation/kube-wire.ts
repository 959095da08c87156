// The way to the API server, with its faults; for a replica of the hook and for Metacontroller.

import type { Clock } from '../../src/clock.ts';
import { type KubeCall, type KubeRequest, type KubeResponse, KubeUnreachable } from '../../src/kube/api.ts';
import type { Decision, Decisions } from './decisions.ts';
import type { History } from './history.ts';
import { hookKubeSite, KUBE_SITES, type KubeSite, loopKubeSite } from './kube-sites.ts';
import type { Mortal } from './mortal.ts';
import type { Chance } from './random.ts';
import type { Report } from './violation.ts';
import type { Weather } from './weather.ts';

export type KubeWireDeps = {
  call: KubeCall;
  clock: Clock;
  chance: Chance;
  decisions: Decisions;
  history: History | undefined;
  weather: Weather;
  report: Report;
};

const HOOK_LATE_MS = 10_000;
const LOOP_SLOW_MS = 20_000;

const refusal = (status: number, reason = ''): KubeResponse => ({
  status,
  body: { kind: 'Status', status: 'Failure', reason, message: `fault ${status}`, code: status },
});

export function createKubeWire(deps: KubeWireDeps) {
  const { call, clock, chance, decisions, history } = deps;
  let count = 0;

  const unreachable = async (ms: number): Promise<never> => {
    await clock.sleep(ms);
    throw new KubeUnreachable('no answer from the API server');
  };

  /** What every caller can suffer. */
  async function undergo(decision: Decision, request: KubeRequest): Promise<KubeResponse> {
    switch (decision.kind) {
      case 'lost':
      case 'lost-before':
        return unreachable(request.deadlineMs);
      case 'lost-after':
        await call(request);
        return unreachable(request.deadlineMs);
      case 'late':
        void later(decision, request);
        return unreachable(Math.min(request.deadlineMs, 3_000));
      case '500-after':
        await call(request);
        return refusal(500);
      case '500-before':
        return refusal(500);
      case '409':
        return refusal(409, 'Conflict');
      default:
        return refusal(Number(decision.kind));
    }
  }

  async function later(decision: Decision, request: KubeRequest): Promise<void> {
    await clock.sleep(200 + chance.below(`${decision.key} late`, HOOK_LATE_MS));
    const { status } = await call(request);
    history?.note(`late ${decision.site} -> ${status}`);
  }

  const latency = (): Promise<void> => {
    count += 1;
    return clock.sleep(1 + chance.below(`kube latency ${count}`, 12));
  };

  function judgeWriter({ method, path }: KubeRequest, { name }: Mortal): void {
    if (method !== 'GET' && /\/(rdss|rdsbackups)(\/|$)/.test(path))
      deps.report('spec-untouched', `${method} ${path} by ${name}`);
  }

  const forHook =
    (mortal: Mortal): KubeCall =>
    async (request) => {
      const site: KubeSite = hookKubeSite(request);
      judgeWriter(request, mortal);
      const decision = decisions.at(site, KUBE_SITES[site]);
      history?.note(`${mortal.name} ${site}${decision ? ` [${decision.kind}]` : ''}`);
      await mortal.lives(latency());
      if (decision) return struckHook(mortal, decision, request);
      const isDown = deps.weather.is('API server is down');
      return await mortal.lives(isDown ? unreachable(request.deadlineMs) : call(request));
    };

  async function struckHook(mortal: Mortal, decision: Decision, request: KubeRequest): Promise<KubeResponse> {
    switch (decision.kind) {
      case 'kill-before':
        mortal.kill();
        return mortal.never();
      case 'kill-after':
        await call(request);
        mortal.kill();
        return mortal.never();
      case 'slow':
        await mortal.lives(clock.sleep(200 + chance.below(`${decision.key} slow`, request.deadlineMs - 300)));
        return mortal.lives(call(request));
      default:
        return mortal.lives(undergo(decision, request));
    }
  }

  const forLoop: KubeCall = (request) => {
    const site = loopKubeSite(request);
    const decision = decisions.at(site, KUBE_SITES[site]);
    // What it does most of the time costs no time: it looks what is stored.
    if (request.method === 'GET' && !decision) return call(request);
    history?.note(`metacontroller ${site}${decision ? ` [${decision.kind}]` : ''}`);
    return loopCall(request, decision);
  };

  async function loopCall(request: KubeRequest, decision: Decision | undefined): Promise<KubeResponse> {
    if (request.method !== 'GET') await latency();
    if (!decision) return await call(request);
    if (decision.kind === 'slow') {
      await clock.sleep(500 + chance.below(`${decision.key} slow`, LOOP_SLOW_MS));
      return call(request);
    }
    return undergo(decision, { ...request, deadlineMs: Math.min(request.deadlineMs, 5_000) });
  }

  return { forHook, forLoop };
}
