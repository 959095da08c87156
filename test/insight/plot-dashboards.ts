// Plots the panels of the dashboards from data that a real Prometheus scraped: `node test/insight/plot-dashboards.ts`
// writes docs/pictures. Ten minutes of the simulated cloud, with a load that rises and falls and a disk that grows.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHECKOUT } from '../cluster/node-process.ts';
import { filled, readDashboards } from './dashboards.ts';
import { startMonitored } from './monitored.ts';
import { dashboardSvg, linesOf } from './plot.ts';

const MINUTES = Number(process.argv[2] ?? 10);
const CYCLE = [25, 40, 60, 85, 97, 70, 45, 30];

const folder = mkdtempSync(join(tmpdir(), 'rds-pilot-plots-'));
const monitored = await startMonitored(folder, { scrapeSeconds: 5 });
try {
  await monitored.startHook();
  await monitored.ready();
  await monitored.startPrometheus();
  const from = Date.now() / 1000;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const cpu = CYCLE[minute % CYCLE.length] ?? 0;
    await monitored.load('shop', { cpu, mem: 40 + cpu / 4, disk: 60 + 3 * minute });
    await monitored.load('orders', { cpu: 100 - cpu, disk: 35 + minute });
    if (minute === MINUTES - 3) await monitored.setStatus('broken', 'FAILED');
    await sleep(60_000);
  }
  const to = Date.now() / 1000;
  const pictures = join(CHECKOUT, 'docs', 'pictures');
  mkdirSync(pictures, { recursive: true });
  for (const { file, panels } of readDashboards()) {
    const plots = [];
    for (const { title, targets, fieldConfig } of panels) {
      const lines = [];
      for (const { expr, legendFormat } of targets) {
        const results = await monitored.queryRange(filled(expr, 'team-a', 'shop'), from, to, 5);
        lines.push(...linesOf(results, legendFormat));
      }
      const { unit, max } = fieldConfig.defaults;
      plots.push({ title, lines: lines.filter(({ points }) => points.length > 0), unit, max });
    }
    writeFileSync(
      join(pictures, `dashboard-${file.replace('.json', '.svg')}`),
      dashboardSvg(plots.filter(({ lines }) => lines.length > 0)),
    );
  }
} finally {
  await monitored.close();
  rmSync(folder, { recursive: true, force: true });
}
