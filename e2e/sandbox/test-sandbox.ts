/** A stand-in and a page that uses it, of the test's own, one pair for each worker. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type FrameLocator, type Page } from '@playwright/test';
import { type Sandbox, SCRIPT_PATH, startSandbox } from '#packages/stripe-sandbox/index.ts';
import { startPageServer } from './page-server.ts';

export const KEYS = { secretKey: 'sk_test_browser', publishableKey: 'pk_test_browser' };

type World = { sandbox: Sandbox; pageOrigin: string; dataFile: string };

export const test = base.extend<object, { world: World }>({
  world: [
    async ({ browserName: _browserName }, use) => {
      let sandboxOrigin = '';
      const { publishableKey } = KEYS;
      const server = await startPageServer(() => ({
        sandboxOrigin,
        scriptPath: SCRIPT_PATH,
        publishableKey,
      }));
      const dataFile = join(mkdtempSync(join(tmpdir(), 'sandbox-')), 'sandbox.sqlite');
      const pageOrigins = [server.origin];
      const sandbox = await startSandbox({ host: '127.0.0.1', port: 0, dataFile, pageOrigins, ...KEYS });
      sandboxOrigin = sandbox.origin;
      await use({ sandbox, pageOrigin: server.origin, dataFile });
      await sandbox.close();
      await server.close();
    },
    { scope: 'worker' },
  ],
});

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

export type Seen = { id?: string; name: string; [detail: string]: unknown };

/** @returns what the page was told of a field, the oldest first */
export async function seen(page: Page, id?: FieldId): Promise<Seen[]> {
  const all = await page.evaluate(() => (window as Window & { seen?: Seen[] }).seen ?? []);
  return id === undefined ? all : all.filter((event) => event.id === id);
}

/** @returns what the latest change of a field said */
export async function latestChange(page: Page, id: FieldId): Promise<Seen | undefined> {
  return (await seen(page, id)).findLast(({ name }) => name === 'change');
}

/** Opens the page and waits until each field said that it is ready. */
export async function openForm(page: Page, pageOrigin: string): Promise<void> {
  await page.goto(pageOrigin);
  for (const id of Object.keys(TITLES) as FieldId[]) await inputOf(page, id).waitFor();
  await page.waitForFunction(() => {
    const events = (window as Window & { seen?: Seen[] }).seen ?? [];
    return new Set(events.filter(({ name }) => name === 'ready').map(({ id }) => id)).size === 3;
  });
}

/** Does what brings new fields, and waits until each of them takes what is typed. */
export async function bringFields(page: Page, count: number, bring: () => Promise<void>): Promise<void> {
  const readyTimes = async () => (await seen(page)).filter(({ name }) => name === 'ready').length;
  const before = await readyTimes();
  await bring();
  await expect.poll(readyTimes).toBeGreaterThanOrEqual(before + count);
}

export async function fillCard(page: Page, number: string, expiry = '12 / 34', cvc = '123'): Promise<void> {
  await inputOf(page, 'number').pressSequentially(number);
  await inputOf(page, 'expiry').pressSequentially(expiry);
  await inputOf(page, 'cvc').pressSequentially(cvc);
}

/** @returns what createToken answered once the button was pressed */
export async function submitted(page: Page): Promise<{ token?: Record<string, unknown>; error?: Seen }> {
  const output = page.locator('output');
  await page.getByRole('button', { name: 'Get token' }).click();
  await output.filter({ hasText: '{' }).waitFor();
  return JSON.parse(await output.innerText());
}
