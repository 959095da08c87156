// What somebody does with the page, and what can be seen on it.

import type { Page } from 'playwright-core';

/** The text of a part of the page contains this. */
export const says = (page: Page, selector: string, text: string) =>
  page.locator(selector).filter({ hasText: text }).first().waitFor({ state: 'attached' });

export const chartSays = (page: Page, text: string) =>
  page.locator(`#chart svg[aria-label*="${text}"]`).waitFor();

export const manifest = (name: string, spec: string[] = []) =>
  [
    'apiVersion: otc.mcsps.de/v1alpha1',
    'kind: Rds',
    'metadata:',
    `  name: ${name}`,
    '  namespace: team-a',
    'spec:',
    '  flavorref: rds.mysql.n1.large.2',
    '  volumetype: CLOUDSSD',
    ...spec.map((line) => `  ${line}`),
  ].join('\n');

export async function apply(page: Page, text: string): Promise<void> {
  await page.locator('#manifest').fill(text);
  await page.locator('#apply').click();
  await says(page, '#findings', 'Applied');
}
