// The real process on the embedded simulator with three databases, and a real Prometheus (Debian package) that
// scrapes both pages with the alert rules of the chart.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { freePort } from '../cluster/free-port.ts';
import { CHECKOUT, createNodeProcess } from '../cluster/node-process.ts';
import { createService, type Service } from '../cluster/service.ts';
import { waitFor } from '../cluster/wait-for.ts';

export const ALERTS = join(CHECKOUT, 'deploy', 'chart', 'alerts');
export const DASHBOARDS = join(CHECKOUT, 'deploy', 'chart', 'dashboards');
const SPEED = 120;

const MANIFESTS = `apiVersion: otc.mcsps.de/v1alpha1
kind: Rds
metadata: {name: shop, namespace: team-a}
spec: {readReplicas: [{name: reports}]}
---
apiVersion: otc.mcsps.de/v1alpha1
kind: Rds
metadata: {name: orders, namespace: team-b}
spec: {datastoretype: PostgreSQL, datastoreversion: "16", port: "5432", hamode: Ha, hareplicationmode: async,
  availabilityzone: "eu-de-01,eu-de-02", flavorref: rds.pg.n1.large.4.ha,
  backup: {drill: {schedule: "* * * * *", flavor: rds.no.such}}}
---
apiVersion: otc.mcsps.de/v1alpha1
kind: Rds
metadata: {name: broken, namespace: team-b}
spec: {}
`;

/** Why a test that needs Prometheus cannot run here. */
export function withoutPrometheus(): string | false {
  try {
    for (const tool of ['prometheus', 'promtool']) execFileSync(tool, ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'prometheus and promtool are not installed (Debian package prometheus)';
  }
}

export type Result = { metric: Record<string, string>; values: [number, string][] };
export type Load = { cpu?: number; mem?: number; disk?: number };
type Rule = { name: string; type: string; state: string; health: string; lastError?: string };

export async function startMonitored(folder: string, options: { scrapeSeconds: number }) {
  const [port, simulatorPort, prometheusPort] = [await freePort(), await freePort(), await freePort()];
  const manifests = join(folder, 'manifests');
  mkdirSync(manifests, { recursive: true });
  writeFileSync(join(manifests, 'databases.yaml'), MANIFESTS);
  const services: Service[] = [];
  const close = async () => {
    for (const service of services.reverse()) await service.kill();
  };

  const hook = createNodeProcess({
    name: 'hook',
    entry: 'src/server.ts',
    env: {
      PATH: process.env.PATH ?? '',
      OTC_SIMULATOR: 'embedded',
      LOCAL_MANIFESTS: manifests,
      PORT: `${port}`,
      SIMULATOR_PORT: `${simulatorPort}`,
      SIMULATOR_SPEED: `${SPEED}`,
    },
    logFile: join(folder, 'hook.log'),
    readyUrl: `http://127.0.0.1:${port}/readyz`,
  });
  services.push(hook);

  const ask = async (url: string, body?: unknown): Promise<unknown> => {
    const response = await request(url, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${text}`);
    return url.includes('/metrics') ? text : JSON.parse(text);
  };
  const simulator = (path: string, body?: unknown) =>
    ask(`http://127.0.0.1:${simulatorPort}/_sim/${path}`, body);
  const page = async (path: string) => (await ask(`http://127.0.0.1:${port}${path}`)) as string;
  const idOf = async (name: string) => {
    const { instances } = (await simulator('instances')) as { instances: { id: string; name: string }[] };
    return instances.find((one) => one.name.split('_')[1] === name)?.id ?? '';
  };

  const config = join(folder, 'prometheus.yml');
  // A namespace of the target's own, as a cluster gives it, must not replace that of the database.
  const scraped = [{ targets: [`127.0.0.1:${port}`], labels: { job: 'rds-pilot', namespace: 'rds-pilot' } }];
  writeFileSync(
    config,
    JSON.stringify({
      global: {
        scrape_interval: `${options.scrapeSeconds}s`,
        evaluation_interval: `${options.scrapeSeconds}s`,
        scrape_timeout: `${options.scrapeSeconds}s`,
      },
      rule_files: [join(ALERTS, '*.yaml')],
      scrape_configs: ['/metrics', '/metrics/databases'].map((path) => ({
        job_name: path,
        metrics_path: path,
        honor_labels: true,
        relabel_configs: [{ source_labels: ['__metrics_path__'], target_label: 'metrics_path' }],
        static_configs: scraped,
      })),
    }),
  );
  const base = `http://127.0.0.1:${prometheusPort}`;
  const prometheus = createService({
    name: 'prometheus',
    command: 'prometheus',
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${prometheusPort}`,
    ],
    env: { PATH: process.env.PATH ?? '' },
    logFile: join(folder, 'prometheus.log'),
    isReady: async () => {
      const { statusCode, body } = await request(`${base}/-/ready`);
      await body.dump();
      return statusCode === 200;
    },
  });
  services.push(prometheus);

  type Answer = { data: { result: (Result & { value?: [number, string] })[] } };
  return {
    close,
    page,
    startHook: () => hook.start(),
    startPrometheus: () => prometheus.start(),
    /** Until all three are up, and the read replica too. */
    ready: () =>
      waitFor(
        'three databases',
        async () =>
          [...(await page('/metrics/databases')).matchAll(/seen_timestamp_seconds\{.*phase="Ready"\}/g)]
            .length === 3,
        { everyMs: 500 },
      ),
    load: async (name: string, load: Load) => simulator('load', { id: await idOf(name), ...load }),
    setStatus: async (name: string, status: string) => simulator(`instances/${await idOf(name)}`, { status }),
    /** An instant query: one value each. */
    async query(expr: string): Promise<Result[]> {
      const { data } = (await ask(`${base}/api/v1/query?query=${encodeURIComponent(expr)}`)) as Answer;
      return data.result.map(({ metric, value }) => ({ metric, values: value ? [value] : [] }));
    },
    async queryRange(expr: string, from: number, to: number, step: number): Promise<Result[]> {
      const span = `start=${from}&end=${to}&step=${step}`;
      const url = `${base}/api/v1/query_range?query=${encodeURIComponent(expr)}&${span}`;
      return ((await ask(url)) as Answer).data.result;
    },
    async rules(): Promise<Rule[]> {
      const { data } = (await ask(`${base}/api/v1/rules`)) as { data: { groups: { rules: Rule[] }[] } };
      return data.groups.flatMap(({ rules }) => rules);
    },
  };
}
