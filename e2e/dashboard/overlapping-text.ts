import type { Page } from '@playwright/test';

/**
 * Pairs of texts in the page's content of which one lies over the other.
 * @param within what else to look through than the page's content: what stands over it is looked through by itself
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
        // Letters are lower than their line, and lines may stand close.
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
