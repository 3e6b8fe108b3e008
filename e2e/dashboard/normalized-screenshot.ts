import type { Locator, Page } from '@playwright/test';

/** What changes from run to run, by what stands in its place in a picture. */
const unsteady: [RegExp, string][] = [
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:3000'],
  [/\bcustomer-[\da-f]{10}/g, 'customer-0123456789'],
  [/(?<=key_test_\S*)[\dA-Za-z]/g, 'x'],
];

type PictureOptions = { hidden: Locator[]; replaced?: [RegExp, string][] };

/**
 * The whole page, a quarter as wide and as high, each point the mean of sixteen: how letters' edges are smoothed, which
 * every build of a browser does a little differently, is gone; what has moved, is missing or has another color is not.
 * @param options.hidden boxes to show as boxes, for what is drawn differently from machine to machine
 * @param options.replaced what else changes from run to run
 */
export async function steadyPicture(page: Page, { hidden, replaced = [] }: PictureOptions): Promise<Buffer> {
  // React complains of a text that is not what it made, until it has gone through the whole page.
  await page.waitForFunction(() => Object.keys(document.body).some((key) => key.startsWith('__reactProps')));
  await page.evaluate(replaceTexts, [...unsteady, ...replaced]);
  await page.evaluate(() => document.fonts.ready);
  // What is fixed to the window stands where the page begins, however far it was scrolled.
  await page.evaluate(() => scrollTo(0, 0));
  const picture = await page.screenshot({ fullPage: true, animations: 'disabled', mask: hidden });
  const drawingBoard = await page.context().newPage();
  const reduced = await drawingBoard.evaluate(reducedPng, picture.toString('base64'));
  await drawingBoard.close();
  return Buffer.from(reduced, 'base64');
}

function replaceTexts(replacements: [RegExp, string][]): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data } = texts.currentNode as Text;
    const steady = replacements.reduce((text, [from, to]) => text.replace(from, to), data);
    if (steady !== data) texts.currentNode.nodeValue = steady;
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
