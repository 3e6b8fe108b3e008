import type { Locator, Page } from '@playwright/test';

/** Texts that differ between runs, and their replacements. */
const replacements: [RegExp, string][] = [
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:3000'],
  [/\bcustomer-[\da-f]{10}/g, 'customer-0123456789'],
  [/(?<=key_test_\S*)[\dA-Za-z]/g, 'x'],
];

type PictureOptions = { hidden: Locator[]; replaced?: [RegExp, string][] };

/**
 * Takes a picture of the whole page.
 * @param options.hidden elements to mask, because they differ between machines
 * @param options.replaced more texts that differ between runs
 */
export async function normalizedScreenshot(
  page: Page,
  { hidden, replaced = [] }: PictureOptions,
): Promise<Buffer> {
  // Before hydration ends, React reports changed texts as errors.
  await page.waitForFunction(() => Object.keys(document.body).some((key) => key.startsWith('__reactProps')));
  await page.evaluate(replaceTexts, [...replacements, ...replaced]);
  await page.evaluate(() => document.fonts.ready);
  // Fixed elements are at the top of the page only if it is not scrolled.
  await page.evaluate(() => scrollTo(0, 0));
  return page.screenshot({ fullPage: true, animations: 'disabled', mask: hidden });
}

function replaceTexts(replacements: [RegExp, string][]): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data } = texts.currentNode as Text;
    const normalized = replacements.reduce((text, [from, to]) => text.replace(from, to), data);
    if (normalized !== data) texts.currentNode.nodeValue = normalized;
  }
}
