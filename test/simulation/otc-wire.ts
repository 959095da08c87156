// The way from a replica to the cloud, with its faults: each call first asks whether something strikes it.

import type { Clock } from '../../src/clock.ts';
import { type OtcRequest, type OtcResponse, type Send, SendError } from '../../src/otc/send.ts';
import { OTHER_PROJECT } from '../../src/simulator/demo-account.ts';
import type { Fault, FaultKind } from '../../src/simulator/faults.ts';
import { asText } from '../../src/simulator/protocol.ts';
import type { Outcome } from '../../src/simulator/wire-faults.ts';
import type { SimCloud } from './cloud.ts';
import type { Decision, Decisions } from './decisions.ts';
import type { History } from './history.ts';
import type { Mortal } from './mortal.ts';
import { OTC_SITES, type OtcSite, otcSite } from './otc-sites.ts';
import type { Chance } from './random.ts';
import type { Report } from './violation.ts';
import type { Weather } from './weather.ts';

export type OtcWireDeps = {
  cloud: SimCloud;
  clock: Clock;
  chance: Chance;
  decisions: Decisions;
  history: History | undefined;
  report: Report;
  weather: Weather;
  /** The oracles look before anything can take effect, and after. */
  beforeSend(site: OtcSite, request: OtcRequest): void;
  afterSend(site: OtcSite, request: OtcRequest, response: OtcResponse | undefined): void;
  /** An answer has come back to somebody who lives. */
  received(mortal: Mortal, site: OtcSite, response: OtcResponse): void;
};

/** Within what the protocol promises to survive: 2 wrong empty answers, 60 s late effect, 12 s pause. */
const MAX_LIES = 2;
const LATE_MAX_MS = 58_000;
const PAUSE_MS = 12_000;
const LIE_MS = 20_000;
const NETWORK_MS = 40;

/** A list that lies does so for a while, whoever asks and however. */
const LISTS_OF_INSTANCES: ReadonlySet<string> = new Set<OtcSite>([
  'otc list',
  'otc find by id',
  'otc find by name',
]);
const lies: ReadonlySet<string> = new Set(['missing-page', 'empty-list']);
const ourOwn: ReadonlySet<string> = new Set(['kill-before', 'kill-after', 'pause', 'echo']);

const isOfTenant = ({ url, body }: OtcRequest): boolean =>
  url.includes(OTHER_PROJECT.id) || (body?.includes(`"${OTHER_PROJECT.name}"`) ?? false);

export function createOtcWire(deps: OtcWireDeps): (mortal: Mortal) => Send {
  const { cloud, clock, chance, decisions, history } = deps;
  let told = 0;
  let liesUntil = 0;
  let count = 0;

  const kindsFor = (site: OtcSite): readonly string[] =>
    told < MAX_LIES ? OTC_SITES[site] : OTC_SITES[site].filter((kind) => !lies.has(kind));

  function faultOf(decision: Decision): Fault[] {
    if (ourOwn.has(decision.kind)) return [];
    const { kind, key } = decision;
    if (lies.has(kind)) told += 1;
    if (kind === 'empty-list') liesUntil = clock.now() + chance.below(`${key} lie`, LIE_MS);
    return [
      {
        kind: kind as FaultKind,
        delayMs: 300 + chance.below(`${key} delay`, 9_000),
        lateMs: 500 + chance.below(`${key} late`, LATE_MAX_MS),
        retryAfterSeconds: 1 + chance.below(`${key} after`, 20),
      },
    ];
  }

  function weatherFault(site: OtcSite, request: OtcRequest): Fault[] {
    if (clock.now() < liesUntil && LISTS_OF_INSTANCES.has(site)) return [{ kind: 'empty-list' }];
    if (deps.weather.is('tenant is down') && isOfTenant(request)) return [{ kind: 'timeout-before' }];
    if (deps.weather.is('cloud is down')) return [{ kind: 'timeout-before' }];
    if (site === 'otc keys' && deps.weather.is('no temporary keys')) return [{ kind: '403' }];
    if (deps.weather.is('cloud is slow'))
      return [{ kind: 'slow', delayMs: deps.weather.delayMs(`slow ${count}`) }];
    return [];
  }

  function siteOf(request: OtcRequest): OtcSite | undefined {
    const site = otcSite(request);
    const call = `${request.method} ${request.route}`;
    if (!site) deps.report('no-bug', `unknown call ${call}: add it to test/simulation/otc-sites.ts`);
    return site;
  }

  const latency = (): Promise<void> => {
    count += 1;
    return clock.sleep(2 + chance.below(`otc latency ${count}`, NETWORK_MS));
  };

  /** What strikes a process before anything is sent; false: it dies of it. */
  async function survives(mortal: Mortal, { kind }: Decision): Promise<boolean> {
    if (kind === 'kill-before') {
      mortal.kill();
      return false;
    }
    if (kind === 'pause') {
      mortal.pause();
      await mortal.lives(clock.sleep(PAUSE_MS));
    }
    return true;
  }

  async function answer(mortal: Mortal, request: OtcRequest, outcome: Outcome): Promise<OtcResponse> {
    if (outcome.kind === 'lost' && outcome.code === 'CONNECTION') throw new SendError('CONNECTION', 'reset');
    if (outcome.kind === 'lost' || outcome.delayMs > request.deadlineMs) {
      await mortal.lives(clock.sleep(request.deadlineMs));
      throw new SendError('TIMEOUT', 'no answer');
    }
    const response = asText(outcome.answer);
    await mortal.lives(clock.sleep(outcome.delayMs));
    return response;
  }

  function exchange(
    mortal: Mortal,
    site: OtcSite,
    request: OtcRequest,
    decision: Decision | undefined,
  ): Outcome {
    const outcome = cloud.exchange(request, decision ? faultOf(decision) : weatherFault(site, request));
    const response = outcome.kind === 'answer' ? outcome.answer : undefined;
    deps.afterSend(site, request, response);
    history?.note(`${mortal.name} ${site} -> ${response?.status ?? 'lost'}`);
    if (decision?.kind === 'kill-after') mortal.kill();
    return outcome;
  }

  async function send(mortal: Mortal, site: OtcSite, request: OtcRequest): Promise<OtcResponse> {
    const decision = decisions.at(site, kindsFor(site));
    history?.note(`${mortal.name} ${site}${decision ? ` [${decision.kind}]` : ''}`);
    await mortal.lives(latency());
    if (decision && !(await survives(mortal, decision))) return mortal.never();
    deps.beforeSend(site, request);
    if (decision?.kind === 'echo') return echo(request);
    const outcome = exchange(mortal, site, request, decision);
    if (!mortal.isAlive) return mortal.never();
    // Mostly there is nothing to wait for.
    const isAtOnce = outcome.kind === 'answer' && outcome.delayMs === 0;
    const response = isAtOnce ? outcome.answer : await answer(mortal, request, outcome);
    deps.received(mortal, site, response);
    return response;
  }

  return (mortal) => (request) => {
    const site = siteOf(request);
    return site ? send(mortal, site, request) : mortal.never();
  };

  /** A cloud that quotes everything it was sent: nothing of it may reach a status or a log. */
  function echo(request: OtcRequest): OtcResponse {
    const text = `refused: ${request.body ?? ''} ${Object.values(request.headers).join(' ')}`;
    return {
      status: 400,
      headers: { 'x-request-id': 'echo', date: new Date(clock.now()).toUTCString() },
      body: JSON.stringify({ error_code: 'DBS.200001', error_msg: text }),
    };
  }
}
