import type { Locator, Page } from '@playwright/test';

/** Texts that differ between runs, and their replacements. */
const replacements: [RegExp, string][] = [
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:3000'],
  [/\bcustomer-[\da-f]{10}/g, 'customer-0123456789'],
  [/(?<=key_test_\S*)[\dA-Za-z]/g, 'x'],
];

type PictureOptions = { hidden: Locator[]; replaced?: [RegExp, string][] };

/**
 * Takes a picture of the whole page at a quarter of its width and height, each pixel the mean of sixteen. That removes
 * the antialiasing of letters, which differs between builds of a browser.
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
  const picture = await page.screenshot({ fullPage: true, animations: 'disabled', mask: hidden });
  const blankPage = await page.context().newPage();
  const reduced = await blankPage.evaluate(reducedPng, picture.toString('base64'));
  await blankPage.close();
  return Buffer.from(reduced, 'base64');
}

function replaceTexts(replacements: [RegExp, string][]): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data } = texts.currentNode as Text;
    const normalized = replacements.reduce((text, [from, to]) => text.replace(from, to), data);
    if (normalized !== data) texts.currentNode.nodeValue = normalized;
  }
}

/** Runs in a browser, which can read and write PNG. */
async function reducedPng(base64: string): Promise<string> {
  const step = 4;
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes]));
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  if (!context) throw new Error('This browser has no canvas.');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const width = Math.ceil(image.width / step);
  const height = Math.ceil(image.height / step);
  const sums = new Float64Array(width * height * 4);
  for (let pixel = 0; pixel < image.width * image.height; pixel++) {
    const x = Math.floor((pixel % image.width) / step);
    const y = Math.floor(pixel / image.width / step);
    for (let channel = 0; channel < 4; channel++) {
      const at = (y * width + x) * 4 + channel;
      sums[at] = (sums[at] ?? 0) + (data[pixel * 4 + channel] ?? 0);
    }
  }
  const means = Uint8ClampedArray.from(sums, (sum, at) => (at % 4 === 3 ? 255 : sum / step ** 2));
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext('2d')?.putImageData(new ImageData(means, width, height), 0, 0);
  const png = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
  return btoa(Array.from(png, (byte) => String.fromCharCode(byte)).join(''));
}
