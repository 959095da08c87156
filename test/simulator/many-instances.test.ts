// As many databases as a large account has: listed by pages, in bounded memory and time.
import t from 'tap';
import { testCloud } from './test-cloud.ts';

const COUNT = 5_000;
const PAGE = 100;
const MEGABYTE = 1024 * 1024;
/** Far above what was measured (see docs/simulator.md): only a leak or a blow-up reaches it. */
const MAX_HEAP_MB = 150;

const heapMb = (): number => process.memoryUsage().heapUsed / MEGABYTE;

t.test(`${COUNT} instances are listed by pages`, async (t) => {
  const { rds, order, clock, call, simulator } = await testCloud({ instanceQuota: COUNT });
  const before = heapMb();
  const body = await order();
  const begun = performance.now();
  for (let index = 0; index < COUNT; index++) {
    const { status, text } = await rds('POST', '/instances', { ...body, name: `db_${index}` });
    if (status !== 202) throw new Error(text);
  }
  const created = performance.now();
  clock.advance(10 * 60_000);

  const seen = new Set<string>();
  let bytes = 0;
  for (let offset = 0; ; offset += PAGE) {
    const reply = await rds('GET', `/instances?offset=${offset}&limit=${PAGE}`);
    t.equal(reply.body.total_count, COUNT);
    bytes += reply.text.length;
    for (const { name, status } of reply.body.instances) if (status === 'ACTIVE') seen.add(name);
    if (reply.body.instances.length === 0) break;
  }
  const listed = performance.now();
  t.equal(seen.size, COUNT, 'each of them once, and built');
  t.equal((await rds('POST', '/instances', { ...body, name: 'one_more' })).status, 413);

  const grown = heapMb() - before;
  const saved = simulator.save().length;
  t.comment(
    `create ${Math.round(created - begun)} ms, list of ${COUNT / PAGE + 1} pages ${Math.round(listed - created)} ms, ` +
      `${(bytes / MEGABYTE).toFixed(1)} MB of answers, heap +${grown.toFixed(0)} MB, state ${(saved / MEGABYTE).toFixed(1)} MB`,
  );
  t.ok(grown < MAX_HEAP_MB, `the heap grew by ${grown.toFixed(0)} MB`);
  t.equal((await call('POST', '/_sim/reset')).status, 200);
});
