// A `Send` made of a record of answers per route, with a working login, and everything around it for a test.

import type { Cloud, Credentials } from '../../src/otc/cloud.ts';
import { createOpenCloud, type OpenCloudDeps } from '../../src/otc/open.ts';
import type { OtcRequest, OtcResponse, Send } from '../../src/otc/send.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

export const project = '0123456789abcdef0123456789abcdef';

export const credentials = {
  kind: 'password',
  authUrl: 'https://iam.example/v3',
  region: 'eu-de',
  projectName: 'eu-de',
  projectId: undefined,
  domainName: 'OTC-TEST',
  username: 'pilot',
  password: 'login-Secret-1',
} as const satisfies Credentials;

type Answer = Partial<Omit<OtcResponse, 'body'>> & { body?: unknown };
/** `n` counts the calls of this route, from 1. */
export type Script = Record<string, (request: OtcRequest, n: number) => Answer | Promise<Answer>>;

function answer({ status = 200, headers = {}, body = {} }: Answer): OtcResponse {
  return { status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

export const catalog = [
  endpoint('rdsv3', `https://rds.example/v3/${project}`),
  endpoint('network', 'https://vpc.example'),
  endpoint('smnv2', `https://smn.example/v2/${project}`),
];

export function endpoint(type: string, url: string, region = 'eu-de') {
  return { type, name: type, endpoints: [{ interface: 'public', region, region_id: region, url }] };
}

export function tokenAnswer(clock: VirtualClock, token: string, lifeMs = 24 * 3_600_000): Answer {
  return {
    status: 201,
    headers: { 'x-subject-token': token, date: new Date(clock.now()).toUTCString() },
    body: {
      token: { expires_at: new Date(clock.now() + lifeMs).toISOString(), project: { id: project }, catalog },
    },
  };
}

export type Scripted = {
  clock: VirtualClock;
  calls: OtcRequest[];
  /** How often a route was called: `count('POST /v3/auth/tokens')`. */
  count(route: string): number;
  open(budgetMs?: number, other?: Credentials): Cloud;
};

export function createScripted(script: Script, deps: Partial<OpenCloudDeps> = {}): Scripted {
  const clock = createVirtualClock();
  const calls: OtcRequest[] = [];
  const count = (route: string) => calls.filter((call) => `${call.method} ${call.route}` === route).length;
  const send: Send = async (request) => {
    calls.push(request);
    const route = `${request.method} ${request.route}`;
    const n = count(route);
    const reply = script[route];
    if (reply) return answer(await reply(request, n));
    if (route === 'POST /v3/auth/tokens') return answer(tokenAnswer(clock, `token-${n}`));
    throw new Error(`no script for ${route}`);
  };
  const openCloud = createOpenCloud({ send, clock, random: () => 0.5, ...deps });
  return {
    clock,
    calls,
    count,
    open(budgetMs = 15_000, other = credentials) {
      const end = clock.now() + budgetMs;
      return openCloud(other, { remainingMs: () => end - clock.now() });
    },
  };
}

export function wireInstance(n: number, more: Record<string, unknown> = {}) {
  const id = `${n.toString(16).padStart(32, '0')}in03`;
  return {
    id,
    name: `team_db_${n}`,
    status: 'ACTIVE',
    type: 'Single',
    datastore: { type: 'PostgreSQL', version: '16' },
    ...more,
  };
}

export const instancesRoute = 'GET /v3/{project}/instances';
export const createRoute = 'POST /v3/{project}/instances';
export const tokenRoute = 'POST /v3/auth/tokens';

export const newInstance = {
  name: 'team_db_1',
  engine: 'PostgreSQL',
  version: '16',
  replicationMode: undefined,
  flavor: 'rds.pg.n1.large.2',
  volumeType: 'CLOUDSSD',
  volumeGb: 40,
  region: 'eu-de',
  availabilityZone: 'eu-de-01',
  vpcId: 'vpc-1',
  subnetId: 'subnet-1',
  securityGroupId: 'group-1',
  password: 'root-Secret-2',
  port: 5432,
  backupStartTime: '01:00-02:00',
  backupKeepDays: 7,
} as const;

/** The error a promise ended with. */
export async function failure(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}
