import t from 'tap';
import { apply, chartSays, manifest, says } from './actions.ts';
import { noBrowser, openBrowser, openPage, startStage } from './stage.ts';

t.setTimeout(1_200_000);

t.test('under load the disk grows by itself, and the page shows why', { skip: noBrowser }, async (t) => {
  const stage = await startStage(t, { speed: 300 });
  const { page, complaints } = await openPage(await openBrowser(t), stage.page);
  const autopilot = 'autopilot: {mode: Act, storage: {thresholdPercent: 80, stepGb: 20, maxGb: 70}}';
  await apply(page, manifest('db-1', ['volumesize: 50', autopilot]));
  await says(page, '#conditions', 'Watching: The autopilot watches disk, cpu and memory and acts.');
  await chartSays(page, 'disk 50 GB');

  await page.locator('#load-disk').fill('90');
  await says(page, '#timeline [data-kind=alarm]', 'disk: over the threshold');
  await says(page, '#timeline [data-kind=decision]', 'Autopilot: disk 50 -> 70 GB');
  await chartSays(page, 'Disk 64.3 percent');
  await chartSays(page, 'disk 70 GB');
  await says(page, '#timeline [data-kind=alarm]', 'disk: below the threshold again');
  const text = await page.locator('#manifest').inputValue();
  t.match(text, 'volumesize: 50', 'the spec is as it was');
  t.notMatch(text, 'annotations', 'and what the alarm left is no part of the manifest');
  t.equal(await page.locator('#census').textContent(), '0');
  t.same(complaints, []);
});

t.test(
  'logs are fetched by a real Job, and what speaks SQL says why it does not run',
  { skip: noBrowser },
  async (t) => {
    const stage = await startStage(t, { speed: 300 });
    const { page, complaints } = await openPage(await openBrowser(t), stage.page);
    await apply(page, manifest('db-1', ['databases: [goods]']));
    await says(page, '#conditions', 'DatabasesFailed: the Job: NotRunHere: no database server');
    await page.getByRole('tab', { name: 'Children' }).click();
    await page.getByRole('tab', { name: 'Children' }).press('ArrowRight');
    const fetchLogs = page.getByRole('button', { name: 'Fetch logs' });
    t.ok(await fetchLogs.isVisible(), 'arrow keys lead to the logs');

    // Two values of its load: it is up for a second at least, and the line that it wrote then is in the span.
    await page.locator('#chart path.cpu[d*=L]').waitFor({ state: 'attached' });
    await fetchLogs.click();
    await says(page, '#logs-note', 'Succeeded');
    const printed = async () =>
      (await page.locator('#logs [data-stream=stdout] code').allTextContents()).map((text) =>
        JSON.parse(text),
      );
    const lines = await printed();
    for (const log of ['errorlog', 'slowlog']) {
      t.match(
        lines.find((line) => line.log === log && line.time),
        { log },
        `a line of the ${log}`,
      );
      t.match(
        lines.find((line) => line.log === log && line.summary),
        { summary: { exitCode: 0 } },
      );
    }
    await says(page, '#children', 'succeeded');
    await says(page, '#timeline [data-kind=user]', 'Logs ordered');

    const job = () => page.locator('#children dt', { hasText: 'Job db-1-logs' }).textContent();
    const first = await job();
    await fetchLogs.click();
    await page.locator('#children', { hasNotText: first ?? '' }).waitFor({ state: 'attached' });
    await says(page, '#logs-note', 'Succeeded');
    t.not(await job(), first, 'a second press is a second order');
    const summaries = (await printed()).filter((line) => line.summary);
    t.equal(summaries.length, 2, 'whose lines take the place of the first ones');
    t.same(complaints, []);
  },
);
