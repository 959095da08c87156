// Does one tenant's bad day spoil another's? Healthy tenants are called steadily while the cloud of twenty others
// hangs, throttles or loses every tenth call; quiet and bad turns follow each other.

import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { demoVariables } from '../../src/simulator/demo-account.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { LIMITS } from '../../src/sync/budget.ts';
import { digits, type Figure, type Line, type Setting, spreadText } from '../figure.ts';
import { type Program, startCloud, startHook } from '../processes/start.ts';
import { settledFleet } from '../settled-fleet.ts';
import { percentile, spreadOf } from '../statistics.ts';

const SCALES = {
  tiny: { turns: 1, turnMs: 300, warmUpMs: 300 },
  quick: { turns: 1, turnMs: 1_500, warmUpMs: 1_500 },
  full: { turns: 8, turnMs: 2_000, warmUpMs: 6_000 },
};
const TENANTS = 20;
const HEALTHY_PAUSE_MS = 25;
/** Rare enough that quiet turns, in which they are answered at once, are not busier than bad ones. */
const SICK_PAUSE_MS = 2_000;
const TARGET = 1.5;

const ALWAYS = 1_000_000_000;
const DAYS: Record<string, Fault> = {
  hangs: { kind: 'timeout-before', times: ALWAYS },
  throttles: { kind: '429', times: ALWAYS, retryAfterSeconds: 1 },
  'loses every tenth call': { kind: 'timeout-before', times: ALWAYS, seed: 7, probability: 0.1 },
};

export async function badDays({ scale, folder }: Setting): Promise<Figure> {
  const { turns, turnMs, warmUpMs } = SCALES[scale];
  const fleet = await settledFleet(2 * TENANTS, { isNow: true });
  const healthyCloud = await startCloud(folder, fleet.cloud);
  const sickCloud = await startCloud(folder, fleet.cloud);
  const hook = await startHook(healthyCloud.url);
  const isOver = new AbortController();
  const sick = { longestMs: 0, answers: 0 };
  const patients = Array.from({ length: TENANTS }, (_, number) =>
    keepAsking(hook, sickBody(fleet.body(TENANTS + number), sickCloud.url), isOver.signal, sick),
  );
  const listen = (ms: number) => healthyLatencies(hook, fleet.body, ms);
  const p99 = (latencies: readonly number[]) => percentile(latencies, 99);
  await listen(warmUpMs);
  const quiet: number[] = [];
  const lines: Line[] = [];
  const points: { name: string; points: { x: number; y: number }[] }[] = [];
  for (const [name, fault] of Object.entries(DAYS)) {
    const ratios: number[] = [];
    const heard: { quiet: number[]; bad: number[] } = { quiet: [], bad: [] };
    for (let turn = 0; turn < turns; turn += 1) {
      await faults(sickCloud, 'DELETE');
      const before = await listen(turnMs);
      await faults(sickCloud, 'POST', fault);
      const during = await listen(turnMs);
      heard.quiet.push(...before);
      heard.bad.push(...during);
      ratios.push(p99(during) / p99(before));
    }
    quiet.push(p99(heard.quiet));
    // Of all turns together: the slowest hundredth of one is a handful of calls.
    const ratio = p99(heard.bad) / p99(heard.quiet);
    lines.push({
      what: `p99 of healthy tenants while another's cloud ${name} / quiet p99`,
      value: digits(ratio),
      spread: spreadText(spreadOf(ratios)),
      target: `<= ${TARGET}`,
      isMet: ratio <= TARGET,
    });
    points.push({ name, points: ratios.map((y, index) => ({ x: index + 1, y })) });
  }
  isOver.abort();
  await Promise.all(patients);
  for (const program of [hook, healthyCloud, sickCloud]) await program.stop();
  const limit = LIMITS.answerMs / 1_000;
  lines.push(
    { what: 'quiet p99 of healthy tenants, ms', value: digits(percentile(quiet, 50), 1) },
    {
      what: `longest of ${sick.answers} answers to the sick tenants, s`,
      value: digits(sick.longestMs / 1_000, 1),
      target: `<= ${limit}`,
      isMet: sick.longestMs <= LIMITS.answerMs,
    },
  );
  return {
    title: 'Bad days',
    lines,
    plots: [
      {
        name: 'bench-bad-days',
        title: 'p99 of healthy tenants, bad turn / quiet turn',
        x: 'turn',
        y: 'ratio',
        series: points,
        limit: { y: TARGET, name: 'target' },
      },
    ],
    notes: [`${TENANTS} healthy Rds and ${TENANTS} of a tenant with another cloud, one replica.`],
  };
}

/** With credentials of its own, and told to be without an address, so that every call has to ask the cloud. */
function sickBody(text: string, cloudUrl: string): string {
  const body = JSON.parse(text) as {
    parent: { metadata: { namespace: string }; status: { ip?: string } };
    related: Record<string, Record<string, object>>;
  };
  const { namespace } = body.parent.metadata;
  const data = Object.entries(demoVariables(cloudUrl)).map(([name, value]) => [name, btoa(value)]);
  delete body.parent.status.ip;
  body.related['Secret.v1'] = {
    ...body.related['Secret.v1'],
    [`${namespace}/otc-credentials`]: {
      metadata: { name: 'otc-credentials', namespace },
      data: Object.fromEntries(data),
    },
  };
  return JSON.stringify(body);
}

async function ask(hook: Program, body: string): Promise<number> {
  const startedAt = performance.now();
  const answer = await request(`${hook.url}/sync`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    headersTimeout: 60_000,
  });
  await answer.body.dump();
  return performance.now() - startedAt;
}

async function keepAsking(
  hook: Program,
  body: string,
  isOver: AbortSignal,
  seen: { longestMs: number; answers: number },
): Promise<void> {
  while (!isOver.aborted) {
    seen.longestMs = Math.max(seen.longestMs, await ask(hook, body));
    seen.answers += 1;
    await sleep(SICK_PAUSE_MS);
  }
}

async function healthyLatencies(
  hook: Program,
  body: (number: number) => string,
  ms: number,
): Promise<number[]> {
  const bodies = Array.from({ length: TENANTS }, (_, number) => body(number));
  const end = performance.now() + ms;
  const latencies: number[] = [];
  const worker = async (offset: number) => {
    for (let number = offset; performance.now() < end; number += 1) {
      latencies.push(await ask(hook, bodies[number % TENANTS] ?? ''));
      await sleep(HEALTHY_PAUSE_MS);
    }
  };
  await Promise.all([worker(0), worker(TENANTS / 2)]);
  return latencies;
}

async function faults(cloud: Program, method: 'POST' | 'DELETE', fault?: Fault): Promise<void> {
  const { statusCode, body } = await request(`${cloud.url}/_sim/faults`, {
    method,
    body: fault ? JSON.stringify(fault) : null,
  });
  if (statusCode !== 200) throw new Error(`the simulator refuses: ${await body.text()}`);
  await body.dump();
}
