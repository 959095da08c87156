import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { CHECKOUT } from '../cluster/node-process.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { filled, readDashboards } from './dashboards.ts';
import { ALERTS, startMonitored, withoutPrometheus } from './monitored.ts';

t.setTimeout(1_200_000);
const skip = withoutPrometheus();
const dashboards = readDashboards();

type Alert = { alert: string; expr: string; annotations: { summary: string; runbook_url: string } };
const alerts = globSync('*.yaml', { cwd: ALERTS }).flatMap((file) =>
  (parse(readFileSync(join(ALERTS, file), 'utf8')) as { groups: { rules: Alert[] }[] }).groups.flatMap(
    ({ rules }) => rules,
  ),
);

t.test('every alert has a runbook that bears its name, and every runbook an alert', async (t) => {
  t.ok(alerts.length >= 10, `${alerts.length} alerts`);
  for (const { alert, annotations } of alerts) {
    const path = join(CHECKOUT, 'docs', annotations.runbook_url);
    if (!existsSync(path)) t.fail(`${alert}: there is no ${annotations.runbook_url}`);
    else t.equal(readFileSync(path, 'utf8').split('\n')[0], `# ${alert}`);
  }
  t.same(
    globSync('docs/runbooks/*.md', { cwd: CHECKOUT }).sort(),
    alerts.map(({ annotations }) => `docs/${annotations.runbook_url}`).sort(),
  );
});

t.test('links in runbooks lead somewhere, and metrics.md leads to every runbook', async (t) => {
  const page = readFileSync(join(CHECKOUT, 'docs/metrics.md'), 'utf8');
  for (const file of globSync('docs/runbooks/*.md', { cwd: CHECKOUT })) {
    t.ok(page.includes(`](${file.slice('docs/'.length)})`), file);
    const links = [...readFileSync(join(CHECKOUT, file), 'utf8').matchAll(/\]\(([^)#]+)/g)];
    for (const [, target = ''] of links)
      t.ok(existsSync(join(CHECKOUT, 'docs/runbooks', target)), `${file}: ${target}`);
  }
});

t.test('panels have one title each, and dashboards one uid each', async (t) => {
  t.equal(new Set(dashboards.map(({ uid }) => uid)).size, dashboards.length);
  for (const { file, panels } of dashboards)
    t.equal(new Set(panels.map(({ title }) => title)).size, panels.length, file);
});

t.test('promtool accepts the rules, and they do in examples what they should', { skip }, async (t) => {
  const files = globSync('*.yaml', { cwd: ALERTS }).map((file) => join(ALERTS, file));
  const checked = execFileSync('promtool', ['check', 'rules', ...files], { encoding: 'utf8' });
  t.equal([...checked.matchAll(/SUCCESS/g)].length, files.length);
  const examples = join(import.meta.dirname, 'rules.yaml');
  execFileSync('promtool', ['test', 'rules', examples], { stdio: 'pipe' });
  const text = readFileSync(examples, 'utf8');
  for (const { alert } of alerts) {
    const fires = new RegExp(`alertname: ${alert}\\n\\s+exp_alerts`);
    t.match(text, fires, `${alert} fires in an example`);
  }
});

const EVERY = { everyMs: 500 };

/** A disk that does not grow is never full. */
const MAY_BE_EMPTY = ['Full in, if it grows as in the last 6 hours'];

t.test('a real Prometheus scrapes both pages and answers every panel and alert', { skip }, async (t) => {
  const monitored = await startMonitored(t.testdir(), { scrapeSeconds: 1 });
  t.teardown(() => monitored.close());
  await monitored.startHook();
  await monitored.ready();
  await monitored.load('shop', { cpu: 99, mem: 60, disk: 94 });
  await monitored.setStatus('broken', 'FAILED');
  await monitored.startPrometheus();
  const isThere = async (expr: string) => (await monitored.query(expr)).length > 0;
  // Ten seconds of samples, for the rates.
  await waitFor('samples', () => isThere('count_over_time(up[1m]) > 10'));
  await waitFor('the load', () => isThere('max(rds_pilot_database_disk_ratio{name="shop"}) > 0.9'), {
    everyMs: 500,
  });

  for (const path of ['/metrics', '/metrics/databases']) {
    const lines = (await monitored.page(path)).split('\n');
    // Those of the Node process have names of their own.
    const ours = lines.filter((line) => line.includes('rds_pilot_'));
    execFileSync('promtool', ['check', 'metrics'], { input: `${ours.join('\n')}\n` });
  }
  // One scrape of a busy machine may come late; the next one counts as well.
  const bothUp = async () => (await monitored.query('up{job="rds-pilot"} == 1')).length === 2;
  await waitFor('both pages to be scraped', bothUp, EVERY);
  const [shop] = await monitored.query('rds_pilot_database_disk_ratio{name="shop"}');
  t.match(shop?.metric, { namespace: 'team-a', name: 'shop', engine: 'MySQL' }, 'its own namespace');

  for (const { file, panels } of dashboards)
    for (const { title, targets } of panels)
      for (const { expr } of targets) {
        // Each has what the other lacks: a read replica and a standby, for example.
        const ask = () => monitored.query(filled(expr, 'team-a', 'shop'));
        const answered = async () => MAY_BE_EMPTY.includes(title) || (await ask()).length > 0;
        await t.resolves(waitFor(`${file}: ${title}: ${expr}`, answered, EVERY), `${file}: ${title}`);
      }

  const used = alerts.flatMap(({ expr }) => expr.match(/rds_pilot_\w+/g) ?? []);
  // Drills run on the minute, and this one fails for its flavor.
  const drilled = () => isThere('rds_pilot_database_drill_failed{name="orders"} == 1');
  await waitFor('a drill', drilled, { everyMs: 500 });
  for (const metric of new Set(used))
    await t.resolves(
      waitFor(metric, () => isThere(metric), EVERY),
      `there is ${metric}`,
    );
  const rules = await monitored.rules();
  t.same(
    rules.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => `${name}: ${lastError}`),
    [],
    'every rule is evaluated',
  );
  t.same(rules.map(({ name }) => name).sort(), alerts.map(({ alert }) => alert).sort());
  const raised = () =>
    monitored.rules().then((now) => now.filter(({ state }) => state !== 'inactive').map(({ name }) => name));
  // Settled databases are looked up in a list that is up to a minute old.
  const wanted = ['RdsDiskAlmostFull', 'RdsDrillFailed', 'RdsFailed', 'RdsOverloaded'];
  await waitFor('the alert for a failed database', async () => (await raised()).includes('RdsFailed'), {
    everyMs: 1_000,
  });
  const isAsWanted = async () => `${(await raised()).sort()}` === `${wanted}`;
  await waitFor('these alerts and no other', isAsWanted, EVERY).catch(() => {});
  t.same((await raised()).sort(), wanted);
});
