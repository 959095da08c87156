// A simulator on a clock that only tests move, with a client that is logged in.
import type { Clock } from '../../src/clock.ts';
import { DEMO_DOMAIN, DEMO_PROJECT, DEMO_USER } from '../../src/simulator/demo-account.ts';
import type { SimulatorOptions } from '../../src/simulator/options.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const START = Date.UTC(2025, 0, 1, 10);

export function virtualClock(start = START): Clock & { advance(ms: number): void } {
  let time = start;
  return {
    elapsed: () => time,
    now: () => time,
    advance(ms) {
      time += ms;
    },
    async sleep(ms) {
      time += ms;
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
export type Json = any;
export type Reply = { status: number; headers: Record<string, string>; text: string; body: Json };

export const passwordAuth = (scope: unknown = { project: { name: DEMO_PROJECT.name } }) => ({
  auth: {
    identity: {
      methods: ['password'],
      password: {
        user: { name: DEMO_USER.name, password: DEMO_USER.password, domain: { name: DEMO_DOMAIN.name } },
      },
    },
    scope,
  },
});

export async function testCloud(options: SimulatorOptions = {}) {
  const clock = virtualClock();
  const simulator = createSimulator({ clock, ...options });
  let token = '';

  async function call(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const auth: Record<string, string> = token ? { 'x-auth-token': token } : {};
    const answer = await simulator.handle({
      method,
      url,
      headers: { host: '127.0.0.1:9090', ...auth, ...headers },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    let parsed: Json;
    try {
      parsed = JSON.parse(answer.body);
    } catch {
      parsed = undefined;
    }
    return { status: answer.status, headers: answer.headers, text: answer.body, body: parsed };
  }

  async function login(scope?: unknown): Promise<string> {
    const reply = await call('POST', '/v3/auth/tokens', passwordAuth(scope));
    token = reply.headers['x-subject-token'] ?? '';
    return token;
  }

  const rds = (method: string, path: string, body?: unknown) =>
    call(method, `/rds/v3/${DEMO_PROJECT.id}${path}`, body);

  async function network() {
    const vpc = (await call('GET', `/vpc/v1/${DEMO_PROJECT.id}/vpcs`)).body.vpcs[0].id;
    const subnet = (await call('GET', `/vpc/v1/${DEMO_PROJECT.id}/subnets`)).body.subnets[0].id;
    const group = (await call('GET', '/vpc/v2.0/security-groups?name=default')).body.security_groups[0].id;
    return { vpc_id: vpc, subnet_id: subnet, security_group_id: group };
  }

  async function order(changes: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
    return {
      name: 'shop_db',
      datastore: { type: 'MySQL', version: '8.0' },
      flavor_ref: 'rds.mysql.n1.large.2',
      volume: { type: 'CLOUDSSD', size: 40 },
      region: 'eu-de',
      availability_zone: 'eu-de-01',
      ...(await network()),
      password: 'Geheim-1234',
      port: '3306',
      backup_strategy: { start_time: '01:00-02:00', keep_days: 7 },
      ...changes,
    };
  }

  const show = async (id: string): Promise<Json> =>
    (await rds('GET', `/instances?id=${id}`)).body.instances[0];

  /** Ordered and built. */
  async function build(changes: Record<string, unknown> = {}): Promise<string> {
    const reply = await rds('POST', '/instances', await order(changes));
    if (reply.status !== 202) throw new Error(`create was refused: ${reply.text}`);
    clock.advance(10 * MINUTE);
    return reply.body.instance.id;
  }

  await login();
  return {
    clock,
    simulator,
    call,
    login,
    rds,
    network,
    order,
    show,
    build,
    useToken: (id: string) => (token = id),
  };
}

export const postgres = {
  datastore: { type: 'PostgreSQL', version: '16' },
  flavor_ref: 'rds.pg.n1.large.2',
  port: '5432',
};

export const mysqlHa = {
  ha: { mode: 'Ha', replication_mode: 'semisync' },
  flavor_ref: 'rds.mysql.n1.large.2.ha',
  availability_zone: 'eu-de-01,eu-de-02',
};
