import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page, Route } from '@playwright/test';
import getPort from 'get-port';
import { startProgram, untilReady } from '#tools/testing/processes.ts';
import { temporaryFolder } from '#tools/testing/temporary-folder.ts';
import { bankChallenge } from '../dashboard/steps.ts';
import { fillCard } from '../sandbox/test-sandbox.ts';
import { expect, type ReceivedResponse, test } from '../support/fixtures.ts';
import { fencedBlocks } from './run-code-sample.ts';

const { API_KEY: _key, API_SECRET: _secret, ...environment } = process.env;

/** Saves the guide's files in a folder. @returns its command */
async function saveFiles({ text }: ReceivedResponse, folder: string): Promise<string[]> {
  const blocks = fencedBlocks(text);
  for (const { title, code } of blocks)
    if (/^[\w-]+\.\w+$/.test(title)) await writeFile(path.join(folder, title), code);
  const terminal = blocks.find(({ title }) => title === 'Terminal');
  return terminal?.code.split(' ') ?? [];
}

async function submit(page: Page, number: string): Promise<void> {
  await fillCard(page, number);
  await page.getByLabel('Name on card').fill('Ada Tester');
  await page.getByLabel('ZIP code').fill('94107');
  await page.getByRole('button', { name: 'Add card' }).click();
}

test.use({ expectedFaults: [/status of 502/] });

test('collect a card: the guide adds a card, shows a decline, repeats a lost response, and asks the bank', async ({
  api,
  clientOf,
  customer,
  page,
}) => {
  const folder = await temporaryFolder('collect-a-card');
  const [program = '', ...args] = await saveFiles(await api('GET', '/docs/collect-a-card.md'), folder.path);
  expect(program).toBe('node');
  const port = await getPort();
  const url = `http://127.0.0.1:${port}`;
  const { apiKey: API_KEY, apiSecret: API_SECRET } = customer;
  const server = startProgram(args, { ...environment, API_KEY, API_SECRET, PORT: `${port}` }, folder.path);
  try {
    await untilReady(server, () => server.output().includes(url));
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
    await server.stop();
    await folder.remove();
  }
});
