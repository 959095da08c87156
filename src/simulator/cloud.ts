// The running cloud: a world, its settings and its faults, with everything due applied before each call.

import { evaluate } from './ces/evaluation.ts';
import { cesRoutes } from './ces/routes.ts';
import { createFaultDesk } from './faults.ts';
import { authenticate, nobody } from './iam/authenticate.ts';
import { authorize } from './iam/authorize.ts';
import { iamRoutes } from './iam/routes.ts';
import type { Settings } from './options.ts';
import { type Answer, type Call, type Scene, withHeaders } from './protocol.ts';
import { createRandom } from './random.ts';
import { createRateLimit } from './rate-limit.ts';
import { applyEffect } from './rds/effects.ts';
import { prolongJob, realEffect, wishOf } from './rds/hosted.ts';
import { diskFilled, feelPressure, recordLoad } from './rds/load.ts';
import { lasting } from './rds/operations.ts';
import { rdsRoutes } from './rds/routes.ts';
import { sweep } from './rds/sweep.ts';
import type { Instance } from './rds/types.ts';
import { errorBody, type Refusal, refusalFrom, refuse } from './refusal.ts';
import type { SimulatorRequest, Site } from './request.ts';
import { createRouter, type Located } from './router.ts';
import { createPostOffice } from './smn/post-office.ts';
import { smnRoutes } from './smn/routes.ts';
import type { Deliver } from './smn/types.ts';
import { httpDate } from './time.ts';
import { vpcRoutes } from './vpc/routes.ts';
import { type Outcome, undergo } from './wire-faults.ts';
import { newWorld, type Pending, schedule, type World } from './world.ts';

const locate = createRouter([...iamRoutes, ...rdsRoutes, ...vpcRoutes, ...cesRoutes, ...smnRoutes]);

const HOLD_UP_MS = 250;

type PendingEffect = Extract<Pending, { kind: 'effect' }>;

export type Cloud = ReturnType<typeof createCloud>;

export function createCloud(settings: Settings) {
  let world = newWorld(settings.seed);
  let random = createRandom(world);
  const faults = createFaultDesk();
  const rate = createRateLimit(settings.ratePerSecond);
  const post = createPostOffice(() => world);
  if (settings.deliver) post.deliverBy(settings.deliver);

  const sceneAt = (now: number): Scene => ({ world, settings, random, now });

  /** Does everything whose time has come, in order of time. */
  function doWhatIsDue(now: number): void {
    for (let next = world.pending[0]; next && next.at <= now; next = world.pending[0]) {
      world.pending.shift();
      happen(next, now);
    }
  }

  function happen(next: Pending, now: number): void {
    switch (next.kind) {
      case 'request':
        perform(next.request, next.at);
        return;
      case 'effect':
        bring(next, now);
        return;
      case 'disk-filled':
        diskFilled(sceneAt(next.at), next.instanceId);
        return;
      case 'evaluation':
        evaluate(sceneAt(next.at));
        return;
      case 'delivery':
        post.carry(sceneAt(now), next.messageId);
    }
  }

  function settle(): Scene {
    const now = settings.clock.now();
    doWhatIsDue(now);
    sweep(world, now);
    tellHosting();
    return sceneAt(now);
  }

  /** A real database that is not ready yet holds its effect up. */
  function bring({ at, instanceId, effect: due }: PendingEffect, now: number): void {
    const effect = realEffect(sceneAt(now), instanceId, due);
    if (effect) {
      const backupMs = lasting(sceneAt(now), settings.durations.backupMs);
      const isAutomatic = settings.automatedBackups;
      applyEffect(world, instanceId, effect, { now: at, random, backupMs, isAutomatic });
      const instance = world.instances[instanceId];
      if (instance) followLoad(sceneAt(at), instance);
      return;
    }
    const later = now + HOLD_UP_MS;
    prolongJob(world, instanceId, later - at);
    schedule(world, { at: later, kind: 'effect', instanceId, effect: due });
  }

  function followLoad(scene: Scene, instance: Instance): void {
    recordLoad(scene, instance);
    feelPressure(scene, instance);
  }

  const tellHosting = (): void => settings.hosting?.wish(wishOf(world));

  function callFor(request: SimulatorRequest, located: Located, now: number, origin?: string): Call {
    const mark = request.url.indexOf('?');
    return {
      ...sceneAt(now),
      faults,
      site: siteOf(request, located),
      request,
      sentPath: pathOf(request),
      query: new URLSearchParams(mark < 0 ? '' : request.url.slice(mark)),
      params: located.params,
      origin: settings.baseUrl ?? origin ?? `http://${request.headers.host ?? '127.0.0.1:9090'}`,
      identity: nobody,
    };
  }

  function turnDown(located: Located, refusal: Refusal, now: number): Answer {
    const requestId = random.hex(32);
    const body = JSON.stringify(errorBody(located.service, located.path, refusal, requestId));
    return finish({ status: refusal.status, headers: refusal.headers, body }, now, requestId);
  }

  function perform(request: SimulatorRequest, now: number, origin?: string): Answer {
    const located = locate(request.method, pathOf(request));
    const { route, service } = located;
    if (!route) return turnDown(located, unknownPath(located), now);
    const call = callFor(request, located, now, origin);
    try {
      if (!route.isOpen) {
        call.identity = authenticate(call);
        authorize(call, route);
      }
      return finish(route.answer(call), now, random.hex(32));
    } catch (error) {
      return turnDown(located, refusalFrom(service, error), now);
    }
  }

  function exchange(request: SimulatorRequest, origin?: string): Outcome {
    const { now } = settle();
    const located = locate(request.method, pathOf(request));
    const site = siteOf(request, located);
    countCall(world, site);
    const tooMany = rate.take(site.service, now);
    if (tooMany) return { kind: 'answer', answer: turnDown(located, tooMany, now), delayMs: 0 };
    const outcome = undergo(faults.takeWire(site), {
      service: site.service,
      perform: () => perform(request, now, origin),
      turnDown: (refusal) => turnDown(located, refusal, now),
      performLater: (afterMs) => schedule(world, { at: now + afterMs, kind: 'request', request }),
    });
    // Messages that the call caused leave at once.
    doWhatIsDue(now);
    tellHosting();
    return outcome;
  }

  function become(next: World): void {
    world = next;
    random = createRandom(world);
    // Instances of files of before their load was kept.
    for (const instance of Object.values(world.instances))
      if (!instance.phases) recordLoad(sceneAt(settings.clock.now()), instance);
  }

  /** Databases, faults and counts go; tokens stay, so that clients need not log in again. */
  function reset(): void {
    const { random: state, order, tokens, accessKeys } = world;
    become({ ...newWorld(settings.seed), random: state, order, tokens, accessKeys });
    faults.clear();
    tellHosting();
  }

  /** Unless the options say how. */
  function deliverBy(deliver: Deliver): void {
    if (!settings.deliver) post.deliverBy(deliver);
  }

  return { faults, settle, exchange, become, reset, finish, deliverBy, delivered: post.quiet };
}

function pathOf({ url }: SimulatorRequest): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

const siteOf = (request: SimulatorRequest, { service, path, route }: Located): Site => ({
  service,
  method: request.method,
  path,
  template: route?.template ?? '*',
});

function countCall(world: World, { service, method, template }: Site): void {
  const counts = world.calls[service] ?? {};
  const key = `${method} ${template}`;
  counts[key] = (counts[key] ?? 0) + 1;
  world.calls[service] = counts;
}

const unknownPath = ({ service }: Located): Refusal =>
  service === 'iam'
    ? refuse(404, 'IAM.0004', 'The resource could not be found.')
    : refuse(404, 'APIGW.0101', 'The API does not exist or has not been published in the environment');

/** Every answer tells the cloud's time and its own id. */
function finish(answer: Answer, now: number, requestId: string): Answer {
  const headers: Record<string, string> = {
    date: httpDate(now),
    'x-request-id': requestId,
    ...((answer.json || answer.body !== '') && { 'content-type': 'application/json' }),
    ...answer.headers,
  };
  return withHeaders(answer, headers);
}
