import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { codeSamples } from '#components/api-access/code-samples.ts';
import { isInstalled } from '#e2e/docs/code-samples.ts';
import { operations } from '#src/api/operations/index.ts';
import { clientPackage } from '#src/client-package.ts';
import { normalize } from '#tools/testing/normalize.ts';
import { addTestCard, expect, newEntry, type TestCustomer, test } from '../support/fixtures.ts';
import { type Block, fencedBlocks, installClient, runSample, startRedirect } from './code-samples.ts';

const runnable = ['sh', 'js', 'python'];

// One worker: one installation of the client for all.
test.describe.configure({ mode: 'default' });

let installed = '';
test.beforeAll(async ({ baseURL }) => {
  installed = await mkdtemp(path.join(tmpdir(), 'samples-'));
  await installClient(installed, baseURL ?? '');
});
test.afterAll(() => rm(installed, { recursive: true }));

/** Of each test. Its samples find the client in the folder above. */
let folder = '';
test.beforeEach(async () => {
  folder = await mkdtemp(path.join(installed, 'sample-'));
});

const keysOf = ({ apiKey, apiSecret }: TestCustomer) => ({ API_KEY: apiKey, API_SECRET: apiSecret });

const readme = () => readFile(path.join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');

/** @returns the runnable code samples, each with the output shown after it */
function samplesWithOutput(blocks: Block[]): { sample: Block; output: string }[] {
  return blocks.flatMap((sample, position) => {
    if (!runnable.includes(sample.language)) return [];
    const output = blocks.slice(position).find(({ language }) => ['json', 'text'].includes(language));
    return output ? [{ sample, output: output.code }] : [];
  });
}

const tokens = ['tok_visa', 'tok_mastercard', 'tok_amex'];
const pages = ['', ...operations.map(({ docs }) => `/${docs.slug}`), '/idempotency', '/client'];

for (const pagePath of pages) {
  test(`code samples: /docs${pagePath} prints the documented response`, { tag: '@thorough' }, async ({
    api,
    clientOf,
    customer,
    db,
  }) => {
    await newEntry(db, customer, { amountCents: 128450n, reference: 'INV-1' });
    if (pagePath === '/get-the-customer')
      await addTestCard(clientOf(customer), 'tok_visa', { addressCountry: 'US', addressZip: '94103' });
    const { text } = await api('GET', `/docs${pagePath}.md`);
    const all = samplesWithOutput(fencedBlocks(text));
    expect(all.length).toBeGreaterThan(0);
    for (const [position, { sample, output }] of all.entries()) {
      // Each sample removes its own card.
      const isRemoval = pagePath === '/remove-a-card';
      const CARD_UUID = isRemoval ? (await addTestCard(clientOf(customer), tokens[position])).uuid : '';
      const printed = await runSample(sample, folder, { ...keysOf(customer), CARD_UUID });
      if (!output.startsWith('{')) expect(printed.trim()).toBe(output.trim());
      else
        expect([sample.language, normalize(JSON.parse(printed))]).toEqual([
          sample.language,
          JSON.parse(output),
        ]);
    }
  });
}

test('code samples: the sandbox page triggers the errors that it says', { tag: '@thorough' }, async ({
  api,
  customer,
}) => {
  const blocks = fencedBlocks((await api('GET', '/docs/sandbox.md')).text);
  const codeOf = (language: string) =>
    blocks.filter((block) => block.language === language).map(({ code }) => code);
  const commands = { language: 'sh', code: codeOf('sh').join('\n') };
  const printed = await runSample(commands, folder, keysOf(customer));
  expect(printed.trim().split('\n')).toEqual(codeOf('text').join('\n').split('\n'));
});

test('code samples: a redirect does not get the secret', async ({ api, baseURL, customer }) => {
  const redirect = await startRedirect();
  try {
    const texts = [
      (await api('GET', '/docs/get-the-payout.md')).text,
      (await api('GET', '/docs/add-a-card.md')).text,
    ];
    const apiAccess = codeSamples(baseURL ?? '', customer.apiKey, clientPackage)
      .flatMap(({ samples }) => samples)
      .filter(({ name }) => name.endsWith('fetch'))
      .map(({ code }) => ({ language: 'js', code }));
    const samples = texts.flatMap(fencedBlocks).filter(({ language }) => runnable.includes(language));
    expect([samples.length, apiAccess.length]).toEqual([6, 1]);
    for (const { language, code } of [...samples, ...apiAccess]) {
      const redirected = { language, code: code.replace(baseURL ?? '', redirect.url) };
      // Some report the redirect as an error.
      await runSample(redirected, folder, keysOf(customer)).catch(() => undefined);
    }
    expect(redirect.followed.filter((headers) => headers['x-auth-apisecret'])).toEqual([]);
  } finally {
    redirect.close();
  }
});

// Other tests run those of these pages.
const testedElsewhere = ['/sandbox', '/collect-a-card', '/quickstarts'];
test('code samples: every runnable sample is tested', async ({ api }) => {
  const { text } = await api('GET', '/llms.txt');
  const others = [...text.matchAll(/\/docs([^)\s]*)\.md/g)]
    .map(([, urlPath = '']) => urlPath)
    .filter((urlPath) => !pages.includes(urlPath) && !testedElsewhere.includes(urlPath));
  expect(others.length).toBeGreaterThan(5);
  for (const urlPath of others) {
    const { text: page } = await api('GET', `/docs${urlPath}.md`);
    expect([urlPath, fencedBlocks(page).filter(({ language }) => runnable.includes(language))]).toEqual([
      urlPath,
      [],
    ]);
  }
});

for (const shell of ['bash', 'zsh'].filter(isInstalled)) {
  test(`code samples: the README's commands run in order in ${shell}`, { tag: '@thorough' }, async ({
    clientOf,
    baseURL,
    customer,
  }) => {
    const blocks = fencedBlocks(await readme()).filter(({ code }) => /^call\b/m.test(code));
    const [setup = '', ...calls] = blocks.map(({ code }) => code);
    expect(calls).toHaveLength(4);
    const env = { ...keysOf(customer), BASE_URL: baseURL ?? '' };
    const variables = setup
      .split('\n')
      .filter((line) => !line.includes('. .data/'))
      .join('\n');
    const print = async (call = '') =>
      JSON.parse(await runSample({ language: 'sh', code: `${variables}\n${call}` }, folder, env, shell));
    expect(await print(calls[0])).toMatchObject({ customer: { username: customer.username, cards: [] } });
    expect(await print(calls[1])).toMatchObject({ payout: { amount_cents: 0, currency: 'USD' } });
    const added = await print(calls[2]);
    expect(added).toMatchObject({ status: true, card: { addressZip: '94103' } });
    expect(await print(calls[3]?.replace('CARD_UUID', added.card.uuid))).toMatchObject({ status: true });
    expect((await clientOf(customer).getCustomer()).cards).toEqual([]);
  });
}

test("code samples: the README's client steps add a card", { tag: '@thorough' }, async ({
  api,
  baseURL,
  customer,
}) => {
  const blocks = fencedBlocks(await readme());
  const install = blocks.find(({ code }) => code.includes('npm install'));
  const script = blocks.find(({ language }) => language === 'js');
  if (!install || !script) throw new Error('The README no longer says how to use the client.');
  const { text } = await api('GET', '/docs/client.md');
  expect(text).toContain(install.code.replaceAll('"', '').replace('$BASE_URL', baseURL ?? ''));
  const env = { ...keysOf(customer), BASE_URL: baseURL ?? '' };
  expect(await runSample(script, folder, env)).toMatch(/^Added: [0-9a-f-]{36}\n$/);
});

test('code samples: the client README prints the documented output and removes only its own card', {
  tag: '@thorough',
}, async ({ baseURL, clientOf, customer, db }) => {
  const { uuid: before } = await addTestCard(clientOf(customer), 'tok_mastercard');
  await newEntry(db, customer, { amountCents: 128450n, reference: 'INV-1' });
  // The copy in the package.
  const packed = path.join(installed, 'node_modules', '@scheduling-service', 'client', 'README.md');
  const blocks = fencedBlocks(await readFile(packed, 'utf8'));
  const all = samplesWithOutput(blocks);
  expect([all.length, blocks.length]).toEqual([1, 2]);
  for (const { sample, output } of all) {
    const printed = await runSample(sample, folder, { ...keysOf(customer), BASE_URL: baseURL ?? '' });
    expect(printed.trim()).toBe(output);
  }
  expect((await clientOf(customer).getCustomer()).cards.map(({ uuid }) => uuid)).toEqual([before]);
});

test("code samples: the API access page's samples run once the secret is filled in", {
  tag: '@thorough',
}, async ({ baseURL, customer, db }) => {
  await newEntry(db, customer, { amountCents: 128450n, reference: 'INV-1' });
  const printed: string[] = [];
  const refusals: string[] = [];
  const languages = codeSamples(baseURL ?? '', customer.apiKey, clientPackage);
  for (const { code } of languages.flatMap(({ samples }) => samples)) {
    if (code.startsWith('npm install')) continue;
    const language = code.startsWith('curl') ? 'sh' : 'js';
    const lines = code.replace('YOUR_API_SECRET', customer.apiSecret).replace('curl ', 'curl -s ');
    printed.push((await runSample({ language, code: lines }, folder, keysOf(customer))).trim());
    if (language === 'sh') continue;
    const keys = { ...keysOf(customer), API_SECRET: 'secret_test_wrong' };
    await runSample({ language, code: lines }, folder, keys).catch(({ stderr }) => refusals.push(stderr));
  }
  expect(refusals).toEqual([1, 2].map(() => expect.stringContaining('Invalid credentials.')));
  const [detail = '', payout = '', ...others] = printed;
  expect(JSON.parse(detail)).toMatchObject({ customer: { api_key: customer.apiKey } });
  expect(JSON.parse(payout)).toMatchObject({ payout: { amount_cents: 128450 } });
  expect(others).toEqual(['128450', '128450']);
});
