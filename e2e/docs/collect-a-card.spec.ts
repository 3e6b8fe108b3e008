import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page, Route } from '@playwright/test';
import { checkout } from '#tools/checkout.ts';
import { unusedPort } from '#tools/testing/listen.ts';
import { startProgram, temporaryFolder, untilReady } from '#tools/testing/processes.ts';
import { bankChallenge } from '../dashboard/steps.ts';
import { fillCard } from '../sandbox/test-sandbox.ts';
import { expect, type ReceivedResponse, type TestCustomer, test } from '../support/fixtures.ts';
import { fencedBlocks } from './code-samples.ts';

const execute = promisify(execFile);
const { API_KEY: _key, API_SECRET: _secret, ...environment } = process.env;

/** Starts the program of the guide, whose files are in a folder. @returns its URL */
async function startPage(
  { text }: ReceivedResponse,
  { apiKey: API_KEY, apiSecret: API_SECRET }: TestCustomer,
  change: (file: string, code: string) => string = (_file, code) => code,
) {
  const folder = await temporaryFolder('collect-a-card');
  const blocks = fencedBlocks(text);
  for (const { title, code } of blocks)
    if (/^[\w-]+\.\w+$/.test(title)) await writeFile(path.join(folder.path, title), change(title, code));
  const [program, ...args] = blocks.find(({ title }) => title === 'Terminal')?.code.split(' ') ?? [];
  expect(program).toBe('node');
  const port = await unusedPort();
  const url = `http://127.0.0.1:${port}`;
  const server = startProgram(args, { ...environment, API_KEY, API_SECRET, PORT: `${port}` }, folder.path);
  const stop = async () => {
    await server.stop();
    await folder.remove();
  };
  await untilReady(server, () => server.output().includes(url)).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { url, stop };
}

async function submit(page: Page, number: string): Promise<void> {
  await fillCard(page, number);
  await page.getByLabel('Name on card').fill('Ada Tester');
  await page.getByLabel('ZIP code').fill('94107');
  await page.getByRole('button', { name: 'Add card' }).click();
}

const guide = '/docs/collect-a-card.md';

test.use({ expectedFaults: [/status of 502/] });

test('collect a card: the guide adds a card, shows a decline, repeats a lost response, and asks the bank', async ({
  api,
  clientOf,
  customer,
  page,
}) => {
  const { url, stop } = await startPage(await api('GET', guide), customer);
  try {
    await page.goto(url);
    await submit(page, '4000000000000002');
    await expect(page.getByRole('status')).toHaveText(/^Your bank declined this card\./);

    await page.reload();
    const loseResponse = async (route: Route) => {
      await route.fetch();
      await route.fulfill({ status: 502 });
    };
    await page.route('**/cards', loseResponse, { times: 1 });
    await submit(page, '5555555555554444');
    await expect(page.getByRole('status')).toHaveText(/^We couldn’t confirm that the card was added\./);
    await page.getByRole('button', { name: 'Add card' }).click();
    await expect(page.getByRole('status')).toHaveText('Added mastercard ending in 4444.');

    await page.reload();
    await submit(page, '4000002760003184');
    await bankChallenge(page).getByText('Fail').click();
    await expect(page.getByRole('status')).toHaveText(/^Your bank couldn't confirm this card\./);
    await page.getByRole('button', { name: 'Add card' }).click();
    await bankChallenge(page).getByText('Complete').click();
    await expect(page.getByRole('status')).toHaveText('Added visa ending in 3184.');

    const { cards } = await clientOf(customer).getCustomer();
    expect(cards.map(({ last4 }) => last4).sort()).toEqual(['3184', '4444']);
    expect(cards.filter(({ last4 }) => last4 === '4444')).toMatchObject([
      { last4: '4444', brand: 'mastercard', funding: 'credit', addressCountry: 'US', addressZip: '94107' },
    ]);
  } finally {
    await stop();
  }
});

const codeOf = (text: string, title: string) =>
  fencedBlocks(text).find((block) => block.title === title)?.code ?? '';
const paymentElement = 'collect-card.js with the Payment Element';
const walletButtons = 'Wallet buttons in collect-card.js';

test("collect a card: the guide's wallet button adds a card", async ({ api, clientOf, customer, page }) => {
  const response = await api('GET', guide);
  const [tokenOf = ''] = /^function tokenOf.*/ms.exec(codeOf(response.text, paymentElement)) ?? [];
  const withWallets = (file: string, code: string) => {
    if (file === 'index.html') return code.replace('<form>', '<form><div id="wallets"></div>');
    return file === 'collect-card.js'
      ? [code, tokenOf, codeOf(response.text, walletButtons)].join('\n\n')
      : code;
  };
  await page.addInitScript(() => localStorage.setItem('sandboxWallet', 'on'));
  const { url, stop } = await startPage(response, customer, withWallets);
  try {
    await page.goto(url);
    await page.getByRole('button', { name: 'Test wallet' }).click();
    const sheet = page.getByRole('dialog', { name: 'Test wallet' });
    await sheet.getByRole('button', { name: /^Visa •••• 4242/ }).click();
    await expect(page.getByRole('status')).toHaveText('Added visa ending in 4242.');
    const { cards } = await clientOf(customer).getCustomer();
    expect(cards).toMatchObject([{ last4: '4242', isApplePayCard: true, addressZip: '94107' }]);
  } finally {
    await stop();
  }
});

/** What the guide's script has before these blocks. The wallet's test runs `tokenOf`. */
const script = `import type { Stripe } from '@stripe/stripe-js';
declare const stripe: Stripe;
declare const form: HTMLFormElement;
declare let token: { id: string; card: object } | null;
declare function forgetToken(): void;
declare function tokenOf(paymentMethod: object): typeof token;
`;

for (const title of [paymentElement, walletButtons]) {
  test(`collect a card: "${title}" has the types of Stripe.js`, async ({ api }) => {
    const text = codeOf((await api('GET', guide)).text, title);
    expect(text).toContain('stripe.elements(');
    const folder = await temporaryFolder('collect-a-card');
    try {
      await symlink(path.join(checkout, 'node_modules'), path.join(folder.path, 'node_modules'));
      const file = path.join(folder.path, 'script.ts');
      const [code = ''] = text.split('function tokenOf');
      await writeFile(file, script + code);
      const compiler = path.join(checkout, 'node_modules', 'typescript', 'bin', 'tsc');
      const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2024'];
      const strict = ['--strict', '--noImplicitAny', 'false'];
      const flags = [...strict, '--noEmit', '--skipLibCheck', '--ignoreConfig', '--types', '', ...modules];
      await execute(process.execPath, [compiler, ...flags, file]);
    } finally {
      await folder.remove();
    }
  });
}
