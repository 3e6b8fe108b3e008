import type { Locator } from '@playwright/test';
import { expect, test } from '../support/fixtures.ts';

test.use({ viewport: { width: 390, height: 844 } });

test('API docs on a phone: the page list collapses after a selection', async ({ page }) => {
  await page.goto('/docs');
  const list = page.getByRole('navigation', { name: 'All pages' });
  await page.getByText('All pages').click();
  await expect(list.locator('[aria-current=page]')).toHaveText('Quickstart');
  await list.getByRole('link', { name: 'Rate limits' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Rate limits');
  await expect(list).toBeHidden();
  await page.getByText('All pages').click();
  await expect(list.locator('[aria-current=page]')).toHaveText('Rate limits');
});

test('API docs on a phone: table cells show their heading, announced once', async ({ page }) => {
  await page.goto('/docs/limits');
  const value = page.getByRole('cell', { name: '600 per minute', exact: true });
  await expect.poll(() => headingBefore(value)).toBe('"Value" / "", inline-block');
  await page.setViewportSize({ width: 900, height: 844 });
  await expect.poll(() => headingBefore(value)).toBe('"Value" / "", none');
});

test('API docs on a phone: long names wrap between their parts', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 844 });
  await page.goto('/docs/sandbox');
  const token = page.getByText('tok_visa_chargeDeclinedStolenCard', { exact: true });
  await expect(token).toBeVisible();
  expect(await token.evaluate(renderedLines)).toEqual(['tok_visa_chargeDeclined', 'StolenCard']);
});

test('API docs on a phone: hyphenated words do not break in links', async ({ page }) => {
  await page.setViewportSize({ width: 660, height: 844 });
  await page.goto('/docs');
  const link = page.getByRole('cell').getByRole('link', { name: 'Get the month-end payout' });
  const lines = await link.evaluate(renderedLines);
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.join('\n')).toContain('month-end');
});

test('API docs on a phone: response lines keep their indentation', async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 844 });
  await page.goto('/docs/get-the-customer');
  const response = page.getByRole('figure').filter({ hasText: '"polygon_points"' }).locator('pre');
  const lines = await response.evaluate(renderedLines);
  expect(lines).toContainEqual(expect.stringMatching(/^ {6}"is_discharge_single_ride_/));
  expect(lines.filter((line) => line.trim() === '')).toEqual([]);
});

function headingBefore(cell: Locator): Promise<string> {
  return cell.evaluate((element) => {
    const { content, display } = getComputedStyle(element, '::before');
    return `${content}, ${display}`;
  });
}

/** The text of each rendered line of an element. */
function renderedLines(element: Element): string[] {
  const lines = new Map<number, string>();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (texts.nextNode()) {
    for (const [index, letter] of [...(texts.currentNode.textContent ?? '')].entries()) {
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + 1);
      const top = Math.round(range.getBoundingClientRect().top);
      if (letter !== '\n') lines.set(top, (lines.get(top) ?? '') + letter);
    }
  }
  return [...lines.values()];
}
