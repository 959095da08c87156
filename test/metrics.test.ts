import t from 'tap';
import { createMetrics, type FleetCounts } from '../src/metrics.ts';

t.test('hook calls are counted by hook and result, with the time they took', async (t) => {
  const metrics = createMetrics({ process: false });
  metrics.hookAnswered('sync', 'answer', 0.3);
  metrics.hookAnswered('sync', 'answer', 25);
  metrics.hookAnswered('finalize', 'retry', 0.001);
  const text = await metrics.registry.metrics();
  t.match(text, /rds_pilot_hook_duration_seconds_count\{hook="sync",result="answer"\} 2\n/);
  t.match(text, /rds_pilot_hook_duration_seconds_bucket\{le="24",hook="sync",result="answer"\} 1\n/);
  t.match(text, /rds_pilot_hook_duration_seconds_count\{hook="finalize",result="retry"\} 1\n/);
});

t.test('calls to the cloud are counted by route, never by id', async (t) => {
  const metrics = createMetrics({ process: false });
  const route = '/v3/{project}/instances';
  const call = { service: 'rds', method: 'GET', route, result: '200', seconds: 0.1 };
  metrics.otcCalled(call);
  metrics.otcCalled(call);
  metrics.otcCalled({ ...call, result: 'TIMEOUT', seconds: 8 });
  const text = await metrics.registry.metrics();
  t.match(
    text,
    'rds_pilot_otc_calls_total{service="rds",method="GET",route="/v3/{project}/instances",result="200"} 2\n',
  );
  t.match(text, /result="TIMEOUT"\} 1\n/);
  t.match(text, /rds_pilot_otc_duration_seconds_count\{service="rds"\} 3\n/);
});

t.test('two of them do not share numbers, and the process is measured when asked for', async (t) => {
  const [one, other] = [createMetrics({ process: false }), createMetrics({ process: true })];
  one.hookAnswered('sync', 'answer', 1);
  t.notMatch(await other.registry.metrics(), /hook="sync"/);
  t.match(await other.registry.metrics(), /process_cpu_seconds_total/);
  t.notMatch(await one.registry.metrics(), /process_cpu_seconds_total/);
});

t.test('instances that no Rds knows are told as they are now', async (t) => {
  const metrics = createMetrics({ process: false });
  metrics.unowned(3);
  t.match(await metrics.registry.metrics(), /rds_pilot_unowned_instances 3\n/);
  metrics.unowned(0);
  t.match(await metrics.registry.metrics(), /rds_pilot_unowned_instances 0\n/);
});

t.test('reads of shared lists and waits for our own limit are counted', async (t) => {
  const metrics = createMetrics({ process: false });
  for (const event of ['read', 'load', 'read', 'read'] as const) metrics.cacheUsed('instances', event);
  metrics.limiterPassed(0, 'sent');
  metrics.limiterPassed(3, 'sent');
  metrics.limiterPassed(0, 'refused');
  const text = await metrics.registry.metrics();
  t.match(text, 'rds_pilot_cache_reads_total{cache="instances"} 3\n');
  t.match(text, 'rds_pilot_cache_loads_total{cache="instances"} 1\n');
  t.match(text, 'rds_pilot_limiter_wait_seconds_sum{result="sent"} 3\n');
  t.match(text, 'rds_pilot_limiter_wait_seconds_count{result="refused"} 1\n');
});

t.test(
  'the state of the fleet is asked for at each scrape, with a zero where there is nothing',
  async (t) => {
    const metrics = createMetrics({ process: false });
    let counts: FleetCounts = { rds: 2, pending: ['restart', 'restart', 'none'], jobCredentials: ['keys'] };
    metrics.watchFleet(() => counts);
    const before = await metrics.registry.metrics();
    t.match(before, 'rds_pilot_known_rds 2\n');
    t.match(before, 'rds_pilot_pending_changes{impact="restart"} 2\n');
    t.match(before, 'rds_pilot_pending_changes{impact="disconnect"} 0\n');
    t.match(before, 'rds_pilot_job_credentials{form="keys"} 1\n');
    counts = { rds: 0, pending: [], jobCredentials: [] };
    const after = await metrics.registry.metrics();
    t.match(after, 'rds_pilot_pending_changes{impact="restart"} 0\n');
    t.match(after, 'rds_pilot_job_credentials{form="keys"} 0\n');
  },
);
