import type { Page } from 'playwright-core';
import t from 'tap';
import { request } from 'undici';
import { apply, chartSays, manifest, says } from './actions.ts';
import { accessibilityProblems, createWire, noBrowser, openBrowser, openPage, startStage } from './stage.ts';

t.setTimeout(1_200_000);

const flip = (page: Page, name: string) => page.getByRole('switch', { name }).click();

async function removeChosen(page: Page): Promise<void> {
  await page.locator('#delete').click();
  await page.locator('#confirm-yes').click();
}

t.test('a database from its manifest to its end, through all troubles', { skip: noBrowser }, async (t) => {
  const stage = await startStage(t, { speed: 300 });
  const { page, complaints } = await openPage(await openBrowser(t), stage.page);
  const sim = async (path: string) =>
    (await request(`${stage.cloud}/_sim/${path}`)).body.json() as Promise<Record<string, unknown[]>>;

  await says(page, '#connection', 'Connected.');
  t.ok(await page.locator('#no-rows').isVisible(), 'an empty list says what to do');

  await page.locator('#manifest').fill(manifest('db-1', ['volumesize: 45', 'volumsize: 40']));
  await says(page, '#findings li', 'Line 9');
  t.same(
    await page.locator('#findings code').allTextContents(),
    ['spec.volumesize', 'spec.volumsize'],
    'a broken manifest shows its fields',
  );
  await page.locator('#apply').click();
  await says(page, '#findings li', 'Line 10');
  t.same((await sim('instances')).instances, [], 'and is not applied');
  await page.locator('#findings li button').first().click();
  const picked = `(() => { const {value, selectionStart, selectionEnd} = document.activeElement;
    return value.slice(selectionStart, selectionEnd) })()`;
  t.equal(await page.evaluate(picked), '  volumesize: 45', 'a finding leads to its line');

  await apply(page, manifest('db-1'));
  await says(page, '#rows button[aria-current]', 'Ready');
  await says(page, '#timeline [data-kind=decision]', 'Claims: create');
  await says(page, '#timeline .calls', 'POST /v3/{project}/instances 202');
  await says(page, '#timeline [data-kind=condition]', 'Ready: False → True');
  await page.getByRole('tab', { name: 'Children' }).click();
  await says(page, '#children', 'Service db-1');
  t.match(await page.locator('#children').textContent(), /Secret db-1-root.*password \(values hidden\)/);
  await page.getByRole('tab', { name: 'Timeline' }).click();

  await page.locator('#load-cpu').fill('90');
  await chartSays(page, 'CPU 90 percent');
  await apply(page, manifest('db-1', ['volumesize: 80']).replace('large', 'xlarge'));
  await chartSays(page, 'machine rds.mysql.n1.xlarge.2, disk 80 GB');
  await chartSays(page, 'CPU 45 percent');
  t.pass('the same work is half the load of the bigger machine');
  await page.locator('#load-curve').click();
  await says(page, '#load-note', 'daily curve');

  await flip(page, 'Lost answers');
  await apply(page, manifest('db-2'));
  await says(page, '#timeline [data-kind=condition]', 'CreateOutcomeUnknown');
  await flip(page, 'Lost answers');
  await says(page, '#rows button[aria-current]', 'Ready');

  await flip(page, 'Failing backups');
  await removeChosen(page);
  await says(page, '#timeline [data-kind=condition]', 'FinalBackupFailed');
  t.equal(((await sim('instances')).instances ?? []).length, 2, 'without a backup nothing is deleted');
  await flip(page, 'Failing backups');

  await flip(page, 'Outage');
  await apply(page, manifest('db-3'));
  await says(page, '#timeline [data-kind=condition]', 'CloudUnreachable');
  await flip(page, 'Outage');
  await says(page, '#rows button[aria-current]', 'Ready');

  await flip(page, 'Throttling');
  await apply(page, manifest('db-4'));
  await says(page, '#timeline .calls [data-ok=false]', '429');
  await flip(page, 'Throttling');
  await says(page, '#rows button[aria-current]', 'Ready');

  await flip(page, 'Killed replica');
  await says(page, '#timeline [data-kind=hook]', 'No answer');
  await t.rejects(request(`${stage.hook}/healthz`), 'nobody answers for the dead');
  await apply(page, manifest('db-5'));
  await flip(page, 'Killed replica');
  await says(page, '#rows button[aria-current]', 'Ready');

  await page.getByRole('button', { name: /^db-1/ }).click();
  await says(page, '#rds-title', 'db-1');
  await removeChosen(page);
  await says(page, '#rds-phase', 'Gone');
  await page.locator('#rows').filter({ hasNotText: 'db-2' }).waitFor();
  const backups = ((await sim('backups')).backups ?? []) as { name: string; status: string }[];
  const kept = backups.filter(({ name, status }) => name.startsWith('final-') && status === 'COMPLETED');
  t.equal(kept.length, 2, 'each delete left its backup');
  t.equal(((await sim('instances')).instances ?? []).length, 3);
  await says(page, '#instances', '3');
  t.equal(await page.locator('#census').textContent(), '0', 'no database was doubled or lost');
  t.same(complaints, [], 'the browser has nothing to complain about');
});

t.test('the page is accessible in both themes, wide and narrow', { skip: noBrowser }, async (t) => {
  const stage = await startStage(t, { speed: 60 });
  const browser = await openBrowser(t);
  const { page: first } = await openPage(browser, stage.page);
  await apply(first, manifest('db-1'));
  await says(first, '#rows button[aria-current]', 'Ready');
  await first.locator('#manifest').fill(`${manifest('db-1')}\n  port: 1`);
  await says(first, '#findings li', 'spec.port');
  t.same(await accessibilityProblems(first), [], 'with a finding');
  for (const colorScheme of ['light', 'dark'] as const)
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const { page, complaints } = await openPage(browser, stage.page, { colorScheme, viewport });
      await chartSays(page, 'machine');
      const isFirst = colorScheme === 'light' && viewport.width > 1000;
      for (const tab of isFirst ? ['Timeline', 'Conditions', 'Children', 'Logs'] : ['Timeline']) {
        await page.getByRole('tab', { name: tab }).click();
        t.same(await accessibilityProblems(page), [], `${colorScheme}, ${viewport.width}, ${tab}`);
      }
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      t.ok(Number(overflow) <= 0, 'nothing sticks out sideways');
      t.same(complaints, []);
      await page.close();
    }
});

t.test('a lost connection is told, and taken up again', { skip: noBrowser }, async (t) => {
  const stage = await startStage(t, { speed: 60 });
  const wire = await createWire(t, stage.page);
  const { page } = await openPage(await openBrowser(t), wire.url);
  await apply(page, manifest('db-1'));
  await says(page, '#rows', 'db-1');
  await wire.cut();
  await says(page, '#connection', 'Connection lost');
  t.equal(await page.locator('#connection').getAttribute('role'), 'status', 'a screen reader says it too');
  await page.locator('#apply').click();
  await says(page, '#findings', 'does not answer');
  await wire.mend();
  await says(page, '#connection', 'Connected again');
  await says(page, '#rows button[aria-current]', 'Ready');
  await says(page, '#timeline', 'Claims: create');
});
