import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { codeSamples } from '#components/api-access/code-samples.ts';
import type { ScheduleClient } from '#packages/client/index.ts';
import { expect, newEntry, type TestCustomer, test } from '../support/fixtures.ts';
import { steady } from './recorder.ts';
import { type Block, copyClient, fencedBlocks, installClient, packing, runLines } from './run-code-sample.ts';

const runnable = ['sh', 'js', 'python'];

let folder = '';
test.beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lines-'));
});
test.afterEach(() => rm(folder, { recursive: true }));

const keysOf = ({ apiKey, apiSecret }: TestCustomer) => ({ API_KEY: apiKey, API_SECRET: apiSecret });

const readme = () => readFile(path.join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');

/** Lines that can be run, each with the output that the page shows after them. */
function linesWithOutput(blocks: Block[]): { lines: Block; shown: string }[] {
  return blocks.flatMap((lines, place) => {
    if (!runnable.includes(lines.language)) return [];
    const shown = blocks.slice(place).find(({ language }) => ['json', 'text'].includes(language));
    return shown ? [{ lines, shown: shown.code }] : [];
  });
}

async function addCard(client: ScheduleClient, token: string): Promise<string> {
  const card = { addressCountry: 'US', addressZip: '94103' };
  const result = await client.addCard({ token, card });
  if (!result.added) throw new Error(result.message);
  return result.card.uuid;
}

const tokens = ['tok_visa', 'tok_mastercard', 'tok_amex'];
const pages = [
  '',
  '/get-the-customer',
  '/get-the-payout',
  '/add-a-card',
  '/remove-a-card',
  '/idempotency',
  '/client',
];

for (const address of pages) {
  test(`code samples: /docs${address} prints the documented response`, async ({
    api,
    clientOf,
    customer,
    db,
  }) => {
    test.setTimeout(90_000);
    await newEntry(db, customer, { amountCents: 128450n });
    if (address === '/get-the-customer') await addCard(clientOf(customer), 'tok_visa');
    if (address === '/client') await installClient(folder);
    const { text } = await api('GET', `/docs${address}.md`);
    const all = linesWithOutput(fencedBlocks(text));
    expect(all.length).toBeGreaterThan(0);
    for (const [place, { lines, shown }] of all.entries()) {
      // Each removes a card of its own.
      const isRemoval = address === '/remove-a-card';
      const CARD_UUID = isRemoval ? await addCard(clientOf(customer), tokens[place] ?? '') : '';
      const printed = await runLines(lines, folder, { ...keysOf(customer), CARD_UUID });
      if (!shown.startsWith('{')) expect(printed.trim()).toBe(shown.trim());
      else expect([lines.language, steady(JSON.parse(printed))]).toEqual([lines.language, JSON.parse(shown)]);
    }
  });
}

test('code samples: every runnable sample is tested', async ({ api }) => {
  const { text } = await api('GET', '/llms.txt');
  const others = [...text.matchAll(/\/docs([^)\s]*)\.md/g)]
    .map(([, address = '']) => address)
    .filter((address) => !pages.includes(address));
  expect(others.length).toBeGreaterThan(5);
  for (const address of others) {
    const { text: page } = await api('GET', `/docs${address}.md`);
    expect([address, fencedBlocks(page).filter(({ language }) => runnable.includes(language))]).toEqual([
      address,
      [],
    ]);
  }
});

test("code samples: the README's commands run in order", async ({ clientOf, baseURL, customer }) => {
  const block = fencedBlocks(await readme()).find(({ code }) => code.includes('payment/cards'));
  const [setup = '', ...calls] = (block?.code ?? '').split(/\n\n/);
  expect(calls).toHaveLength(4);
  const env = { ...keysOf(customer), BASE_URL: baseURL ?? '' };
  const variables = setup
    .split('\n')
    .filter((line) => !line.includes('. .data/'))
    .join('\n');
  const print = async (call = '') =>
    JSON.parse(await runLines({ language: 'sh', code: `${variables}\n${call}` }, folder, env));
  expect(await print(calls[0])).toMatchObject({ customer: { username: customer.username, cards: [] } });
  expect(await print(calls[1])).toMatchObject({ payout: { amount_cents: 0, currency: 'USD' } });
  const added = await print(calls[2]);
  expect(added).toMatchObject({ status: true, card: { addressZip: '94103' } });
  expect(await print(calls[3]?.replace('CARD_UUID', added.card.uuid))).toMatchObject({ status: true });
  expect((await clientOf(customer).getCustomer()).cards).toEqual([]);
});

test("code samples: the README's client steps add a card", async ({ api, baseURL, customer }) => {
  test.setTimeout(90_000);
  const blocks = fencedBlocks(await readme());
  const lines = blocks.find(({ code }) => code.includes('npm pack'));
  const script = blocks.find(({ language }) => language === 'js');
  if (!lines || !script) throw new Error('The README no longer says how to use the client.');
  // The page of the reference says the same.
  expect((await api('GET', '/docs/client.md')).text).toContain(lines.code);
  const checkout = path.join(folder, 'scheduling-service');
  await copyClient(checkout);
  await runLines(lines, checkout, packing);
  const env = { ...keysOf(customer), BASE_URL: baseURL ?? '' };
  expect(await runLines(script, path.join(folder, 'my-program'), env)).toMatch(/^Added: [0-9a-f-]{36}\n$/);
});

test('code samples: the client README prints the documented output', async ({ baseURL, customer, db }) => {
  test.setTimeout(90_000);
  await newEntry(db, customer, { amountCents: 128450n });
  await installClient(folder);
  // As it comes with the package.
  const packed = path.join(folder, 'node_modules', 'scheduling-service-client', 'README.md');
  const blocks = fencedBlocks(await readFile(packed, 'utf8'));
  const all = linesWithOutput(blocks);
  expect([all.length, blocks.length]).toEqual([1, 2]);
  for (const { lines, shown } of all) {
    const printed = await runLines(lines, folder, { ...keysOf(customer), BASE_URL: baseURL ?? '' });
    expect(printed.trim()).toBe(shown);
  }
});

test("code samples: the API access page's samples run once the secret is filled in", async ({
  baseURL,
  customer,
  db,
}) => {
  await newEntry(db, customer, { amountCents: 128450n });
  await installClient(folder);
  const printed: string[] = [];
  for (const { code } of codeSamples(baseURL ?? '', customer.apiKey)) {
    const language = code.startsWith('curl') ? 'sh' : 'js';
    const lines = code.replace('YOUR_API_SECRET', customer.apiSecret).replace('curl ', 'curl -s ');
    printed.push((await runLines({ language, code: lines }, folder, keysOf(customer))).trim());
  }
  const [detail = '', payout = '', ...others] = printed;
  expect(JSON.parse(detail)).toMatchObject({ customer: { api_key: customer.apiKey } });
  expect(JSON.parse(payout)).toMatchObject({ payout: { amount_cents: 128450 } });
  expect(others).toEqual(['128450', '128450']);
});
