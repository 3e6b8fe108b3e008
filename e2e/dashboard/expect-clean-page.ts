import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { overlappingTexts } from './overlapping-text.ts';

/**
 * Expects no axe violations, no horizontal scrolling, and no overlapping texts.
 * @param within a selector of the part to check for overlapping texts, the page's content by default
 */
export async function expectCleanPage(page: Page, within?: string): Promise<void> {
  await expectNoAxeViolations(page);
  const overflowPx = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflowPx, 'horizontal overflow in px').toBe(0);
  expect(await overlappingTexts(page, within), 'overlapping texts').toEqual([]);
}

async function expectNoAxeViolations(page: Page): Promise<void> {
  // Colors in the middle of a transition would be reported.
  await page.evaluate(() =>
    Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))),
  );
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join('; ')}`,
  );
  expect(found).toEqual([]);
}
