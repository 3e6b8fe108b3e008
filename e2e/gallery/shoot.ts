import type { Page } from '@playwright/test';

/** The light and the widths in which every state is shown. */
const modes = {
  'desk-light': { colorScheme: 'light', width: 1280, height: 900 },
  'desk-dark': { colorScheme: 'dark', width: 1280, height: 900 },
  'phone-light': { colorScheme: 'light', width: 375, height: 812 },
  'phone-dark': { colorScheme: 'dark', width: 375, height: 812 },
  'narrow-light': { colorScheme: 'light', width: 320, height: 640 },
} as const;

/**
 * The page as it is now, in every light and width, as `gallery/<section>/<name>.<mode>.png`.
 * @param options.isWindowOnly for what stands over the page, which is drawn once and not along its whole length
 */
export async function shoot(
  page: Page,
  section: string,
  name: string,
  { isWindowOnly = false } = {},
): Promise<void> {
  for (const [mode, { colorScheme, width, height }] of Object.entries(modes)) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height });
    await page.evaluate(() => document.fonts.ready);
    // A window as long as the page has what is fixed to its edges at the page's edges.
    if (isWindowOnly) await page.evaluate(() => scrollTo(0, 0));
    else await page.setViewportSize({ width, height: Math.max(height, await pageHeight(page)) });
    // The first picture of a window just resized may lack parts that are still being drawn.
    await page.screenshot({ animations: 'disabled' });
    await page.screenshot({ path: `gallery/${section}/${name}.${mode}.png`, animations: 'disabled' });
  }
}

const pageHeight = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight);
