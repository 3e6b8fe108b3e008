/** A sandbox and a small page that uses it, one pair per worker. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { test as base, expect, type FrameLocator, type Page } from '@playwright/test';
import { buildSync } from 'esbuild';
import { SCRIPT_PATH, startSandbox } from '#packages/stripe-sandbox/index.ts';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { startServer } from '../support/http.ts';

export const KEYS = { secretKey: 'sk_test_browser', publishableKey: 'pk_test_browser' };

type TestSandbox = { origin: string; pageOrigin: string; dataFile: string };

export const test = base.extend<object, { sandbox: TestSandbox }>({
  sandbox: [
    async ({ browserName: _browserName }, use) => {
      let sandboxOrigin = '';
      const { publishableKey } = KEYS;
      const page = await startPage(() => ({ sandboxOrigin, scriptPath: SCRIPT_PATH, publishableKey }));
      const folder = await temporaryFolder('sandbox');
      const dataFile = path.join(folder.path, 'sandbox.sqlite');
      const pageOrigins = [page.url.replace('127.0.0.1', 'shop.localhost')];
      const sandbox = await startSandbox({ host: '127.0.0.1', port: 0, dataFile, pageOrigins, ...KEYS });
      sandboxOrigin = sandbox.origin;
      await use({ origin: sandboxOrigin, pageOrigin: page.url, dataFile });
      await sandbox.close();
      page.close();
      await folder.remove();
    },
    { scope: 'worker' },
  ],
});

/** Development builds, which warn about misuse. */
function bundle(): string {
  const { outputFiles } = buildSync({
    entryPoints: [path.join(import.meta.dirname, 'card-form.cjs')],
    bundle: true,
    write: false,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return outputFiles[0]?.text ?? '';
}

type PageSettings = { sandboxOrigin: string; scriptPath: string; publishableKey: string };

function html({ sandboxOrigin, scriptPath, publishableKey }: PageSettings, nonce: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Card form</title>
    <body data-sandbox-origin="${sandboxOrigin}" data-script-path="${scriptPath}" data-publishable-key="${publishableKey}">
    <div id="root"></div><script nonce="${nonce}" src="/page.js"></script></body></html>`;
}

/**
 * Serves the page under the Content-Security-Policy of the product's pages.
 * @param readSettings called for each load, because the sandbox starts after the page's origin is known
 */
export function startPage(readSettings: () => PageSettings) {
  const script = bundle();
  return startServer((request, response) => {
    if (request.url === '/page.js')
      return void response.setHeader('Content-Type', 'text/javascript').end(script);
    if (request.url !== '/') return void response.writeHead(404).end();
    const nonce = randomBytes(16).toString('base64');
    const settings = readSettings();
    response.setHeader('Content-Type', 'text/html');
    response.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; script-src 'nonce-${nonce}' 'strict-dynamic'; style-src 'self' 'nonce-${nonce}'; frame-src ${settings.sandboxOrigin}; connect-src 'self' ${settings.sandboxOrigin}; base-uri 'none'; form-action 'self'`,
    );
    response.end(html(settings, nonce));
  });
}

const TITLES = {
  number: 'Secure card number input frame',
  expiry: 'Secure expiration date input frame',
  cvc: 'Secure CVC input frame',
};
export type FieldId = keyof typeof TITLES;

export const frameOf = (page: Page, id: FieldId): FrameLocator =>
  page.frameLocator(`iframe[title="${TITLES[id]}"]`);

/** @returns the input of a field, inside its frame */
export const inputOf = (page: Page, id: FieldId) => frameOf(page, id).getByRole('textbox');

export type PageEvent = { id?: string; name: string; [detail: string]: unknown };

/** @returns the events that the page received, oldest first */
export async function pageEvents(page: Page, id?: FieldId): Promise<PageEvent[]> {
  const all = await page.evaluate(() => (window as Window & { events?: PageEvent[] }).events ?? []);
  return id === undefined ? all : all.filter((event) => event.id === id);
}

export async function latestChange(page: Page, id: FieldId): Promise<PageEvent | undefined> {
  return (await pageEvents(page, id)).findLast(({ name }) => name === 'change');
}

/** Opens the page and waits until all fields are ready. */
export async function openForm(page: Page, pageOrigin: string): Promise<void> {
  await page.goto(pageOrigin);
  for (const id of Object.keys(TITLES) as FieldId[]) await inputOf(page, id).waitFor();
  await page.waitForFunction(() => {
    const events = (window as Window & { events?: PageEvent[] }).events ?? [];
    return new Set(events.filter(({ name }) => name === 'ready').map(({ id }) => id)).size === 3;
  });
}

/** Runs `action` and waits until the fields that it mounts are ready. */
export async function mountFields(page: Page, count: number, action: () => Promise<void>): Promise<void> {
  const readyCount = async () => (await pageEvents(page)).filter(({ name }) => name === 'ready').length;
  const before = await readyCount();
  await action();
  await expect.poll(readyCount).toBeGreaterThanOrEqual(before + count);
}

export async function fillCard(page: Page, number: string, expiry = '12 / 64', cvc = '123'): Promise<void> {
  await inputOf(page, 'number').pressSequentially(number);
  await inputOf(page, 'expiry').pressSequentially(expiry);
  await inputOf(page, 'cvc').pressSequentially(cvc);
}

/** Submits the form. @returns the result of `createToken` */
export async function submit(page: Page): Promise<{ token?: Record<string, unknown>; error?: PageEvent }> {
  const output = page.locator('output');
  await page.getByRole('button', { name: 'Get token' }).click();
  await output.filter({ hasText: '{' }).waitFor();
  return JSON.parse(await output.innerText());
}
