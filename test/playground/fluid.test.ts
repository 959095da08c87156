import type { Page } from 'playwright-core';
import t from 'tap';
import { request } from 'undici';
import { noBrowser, openBrowser, openPage, startStage } from './stage.ts';

const COUNT = 200;
const FRAMES = 200;

const manifests = (volumeGb: number) =>
  Array.from({ length: COUNT }, (_, index) =>
    [
      'apiVersion: otc.mcsps.de/v1alpha1',
      'kind: Rds',
      `metadata: {name: db-${`${index}`.padStart(3, '0')}, namespace: many}`,
      `spec: {volumesize: ${volumeGb}}`,
    ].join('\n'),
  ).join('\n---\n');

/** Runs in the page: what it costs to change every row while frames are drawn. */
const WATCH = `new Promise((resolve) => {
  const result = { frames: 0, changes: 0, moved: 0 };
  new MutationObserver((changes) => {
    for (const { target, addedNodes, removedNodes } of changes) {
      if (target.id === 'rows') result.moved += addedNodes.length + removedNodes.length;
      else result.changes += 1;
    }
  }).observe(document.getElementById('rows'), { childList: true, subtree: true });
  const frame = () => {
    result.frames += 1;
    if (result.frames < ${FRAMES} || result.changes < ${COUNT}) requestAnimationFrame(frame);
    else resolve(result);
  };
  requestAnimationFrame(frame);
})`;

/** What the page has used of the processor, which others may be using as well. */
async function createWorkMeter(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  return async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return 1_000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
  };
}

t.test('200 databases stay fluid', { skip: noBrowser, timeout: 1_200_000 }, async (t) => {
  const stage = await startStage(t, { speed: 5 });
  const apply = async (volumeGb: number) => {
    const answer = await request(`${stage.page}/api/apply`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: manifests(volumeGb) }),
    });
    t.match(await answer.body.json(), { isApplied: true });
  };
  await apply(40);
  const { page, complaints } = await openPage(await openBrowser(t), stage.page);
  await page
    .locator('#rows li')
    .nth(COUNT - 1)
    .waitFor({ state: 'attached' });

  const workMs = await createWorkMeter(page);
  const [began, worked] = [performance.now(), await workMs()];
  const watched = page.evaluate(WATCH) as Promise<{ changes: number; moved: number }>;
  await apply(50);
  const { moved } = await watched;
  const busy = ((await workMs()) - worked) / (performance.now() - began);
  t.equal(moved, 0, 'news change rows in place and build none anew');
  t.comment(`the page works ${Math.round(busy * 100)} % of the time`);
  t.ok(busy < 0.5, 'most of the time the page is free to answer');

  await page.locator('#filter').fill('db-17');
  t.equal(await page.locator('#rows li:visible').count(), 10, 'the filter narrows the list');
  await page.locator('#rows button', { hasText: 'db-175' }).click();
  await page.locator('#rds-title', { hasText: 'many / db-175' }).waitFor();
  t.same(complaints, []);
});
