import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** @returns axe for a page. Without frames, it checks in the page itself, which takes a third of the time. */
export function axeOf(page: Page): AxeBuilder {
  return new AxeBuilder({ page })
    .setLegacyMode(page.frames().length === 1)
    .options({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } });
}

/**
 * Expects no horizontal scrolling and no overlapping texts.
 * @param within a selector of the part to check for overlapping texts, the page's content by default
 */
export async function expectCleanLayout(page: Page, within?: string): Promise<void> {
  const overflowPx = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflowPx, 'horizontal overflow in px').toBe(0);
  expect(await overlappingTexts(page, within), 'overlapping texts').toEqual([]);
}

/**
 * Expects a clean layout and no axe violations. Colors do not depend on the size of the window, so only the full run checks
 * both at each size: otherwise the light ones in a narrow window, and the dark ones in a wide one.
 * @param within a selector of the part to check, by default the whole page
 */
export async function expectCleanPage(page: Page, within?: string): Promise<void> {
  await expectCleanLayout(page, within);
  const isNarrow = (page.viewportSize()?.width ?? 0) < 640;
  const colorSchemes = process.env.FULL
    ? (['light', 'dark'] as const)
    : ([isNarrow ? 'light' : 'dark'] as const);
  for (const colorScheme of colorSchemes) {
    await page.emulateMedia({ colorScheme });
    await expectNoAxeViolations(page, { within });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Expects no axe violations. @param options by default all rules, in the whole page */
export async function expectNoAxeViolations(
  page: Page,
  { rules = [], within }: { rules?: string[]; within?: string | undefined } = {},
): Promise<void> {
  // Colors in the middle of a transition would be reported.
  await page.evaluate(() =>
    Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))),
  );
  // The only rule of WCAG 2.2 AA that axe leaves out by default.
  const axe = axeOf(page);
  if (rules.length > 0) axe.withRules(rules);
  if (within) {
    const frames = page.locator(within).locator('iframe');
    axe.include(within).setLegacyMode((await frames.count()) === 0);
  }
  const { violations } = await axe.analyze();
  const found = violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join('; ')}`,
  );
  expect(found).toEqual([]);
}

/**
 * @param within a selector of the part to check; dialogs, which cover the page, are checked on their own
 * @returns each pair of visible texts that overlap
 */
export function overlappingTexts(page: Page, within = 'main'): Promise<string[]> {
  return page.evaluate((selector) => {
    const isVisible = (element: Element | null): element is Element =>
      element?.checkVisibility({ visibilityProperty: true, opacityProperty: true }) === true &&
      element.closest('.sr-only, option, noscript, script') === null;
    const lines: { text: string; box: DOMRect }[] = [];
    const textsOf = (root: Element) => {
      const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const nodes: Node[] = [];
      while (texts.nextNode()) nodes.push(texts.currentNode);
      return nodes;
    };
    const roots = [...document.querySelectorAll(selector)];
    if (roots.length === 0) throw new Error(`The page has no ${selector}.`);
    for (const node of new Set(roots.flatMap(textsOf))) {
      const text = node.textContent?.trim();
      if (!text || !isVisible(node.parentElement)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const { x, y, width, height } of range.getClientRects()) {
        // Line boxes are taller than letters and may overlap slightly.
        lines.push({ text, box: new DOMRect(x + 1, y + height / 4, width - 2, height / 2) });
      }
    }
    const isOver = (a: DOMRect, b: DOMRect) =>
      a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return lines.flatMap((one, index) =>
      lines
        .slice(index + 1)
        .filter((other) => isOver(one.box, other.box))
        .map((other) => `“${one.text}” and “${other.text}”`),
    );
  }, within);
}
