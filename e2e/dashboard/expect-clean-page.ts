import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { textsThatTouch } from './overlapping-text.ts';

/**
 * What is on the page has no fault that axe finds, does not scroll sideways, and no text lies over another.
 * @param within where to look for texts that touch, the page's content unless given
 */
export async function expectNothingWrongHere(page: Page, within?: string): Promise<void> {
  await expectAxeSilent(page);
  const overflowPx = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflowPx, 'the page scrolls sideways').toBe(0);
  expect(await textsThatTouch(page, within), 'texts that lie over one another').toEqual([]);
}

async function expectAxeSilent(page: Page): Promise<void> {
  // A colour in the middle of a transition is nobody's.
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
