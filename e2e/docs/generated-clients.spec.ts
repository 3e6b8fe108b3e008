/**
 * Generates clients from the served OpenAPI document with the tools that integrators use, and calls all operations with
 * each. Only in CI and in the full run, because it installs the tools.
 */
import { execFile } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { operations } from '#src/api/operations/index.ts';
import { checkout } from '#tools/checkout.ts';
import { temporaryFolder } from '#tools/testing/processes.ts';
import { expect, newEntry, type TestCustomer, test } from '../support/fixtures.ts';

const tools = [
  ...['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', '@hey-api/openapi-ts@0.99.0', 'orval@8.38.0'],
  // openapi-typescript needs a compiler with a programmatic interface.
  ...['zod@4.6.7', 'openapi-to-postmanv2@6.3.3', 'newman@6.2.2', '@usebruno/cli@4.1.0', 'typescript@5.9.3'],
];
const programs = path.join(import.meta.dirname, 'generated-clients');
const execute = promisify(execFile);

const environmentOf = ({ apiKey, apiSecret }: TestCustomer, baseURL = '') => ({
  BASE_URL: baseURL,
  API_KEY: apiKey,
  API_SECRET: apiSecret,
});

test.describe.configure({ mode: 'serial' });

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
const run = async (
  program: string,
  parameters: string[],
  env: Record<string, string> = {},
  cwd = folder.path,
) => {
  const options = { cwd, env: { ...process.env, OPENAPI_TS_TELEMETRY: 'off', ...env } };
  return (await execute(program, parameters, { ...options, maxBuffer: 64 * 1024 * 1024 })).stdout;
};
const tool = (name: string, ...parameters: string[]) =>
  run(path.join(folder.path, 'node_modules', '.bin', name), parameters);

test.beforeAll(async ({ baseURL }) => {
  test.setTimeout(300_000);
  folder = await temporaryFolder('generated-clients');
  await cp(programs, folder.path, { recursive: true });
  await writeFile(path.join(folder.path, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...tools]);
  const response = await fetch(`${baseURL}/openapi.json`);
  await writeFile(path.join(folder.path, 'openapi.json'), await response.text());
  await tool('openapi-typescript', 'openapi.json', '-o', 'openapi-typescript.ts');
  await tool('openapi-ts', '-i', 'openapi.json', '-o', 'hey-api');
  await run(path.join(folder.path, 'node_modules', '.bin', 'orval'), ['--config', 'orval.config.mjs'], {
    BASE_URL: baseURL ?? '',
  });
});
test.afterAll(() => folder.remove());

for (const name of ['openapi-fetch', 'hey-api', 'orval']) {
  test(`generated clients: ${name} compiles and calls all operations`, async ({ baseURL, customer, db }) => {
    test.setTimeout(120_000);
    await newEntry(db, customer, { amountCents: 128450n, reference: 'INV-1' });
    const compiler = path.join(checkout, 'node_modules', 'typescript', 'bin', 'tsc');
    const types = ['--typeRoots', path.join(checkout, 'node_modules', '@types'), '--types', 'node'];
    const strict = ['--allowJs', '--checkJs', '--strict', '--noEmit', '--skipLibCheck', '--ignoreConfig'];
    const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2024'];
    const flags = [...strict, ...modules, ...types, '--allowImportingTsExtensions'];
    await run(process.execPath, [compiler, ...flags, `${name}.mjs`]);
    const outfile = path.join(folder.path, 'bundles', `${name}.mjs`);
    const entryPoints = [path.join(folder.path, `${name}.mjs`)];
    await build({ entryPoints, bundle: true, format: 'esm', platform: 'node', outfile });
    const printed = await run(process.execPath, [outfile], environmentOf(customer, baseURL));
    expect(JSON.parse(printed)).toEqual([customer.username, 128450, '4242', true, 'card_not_found']);
  });
}

type Item = {
  name: string;
  request: { header: object[]; url: { variable: object[] } };
  event?: object[];
};
type Folder = { item: (Folder | Item)[] };
const requestsIn = ({ item }: Folder): Item[] =>
  item.flatMap((one) => ('item' in one ? requestsIn(one) : [one]));

/** @returns the statuses */
async function runCollection(collection: string, variables: Record<string, string>): Promise<number[]> {
  const set = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const report = ['--reporters', 'json', '--reporter-json-export', 'report.json'];
  await tool('newman', 'run', collection, ...set, ...report);
  const { run: result } = JSON.parse(await readFile(path.join(folder.path, 'report.json'), 'utf8')) as {
    run: { executions: { response: { code: number } }[] };
  };
  return result.executions.map(({ response }) => response.code);
}
const allSucceeded = operations.map(() => 200);

test('generated clients: the served collection runs in Newman as imported', async ({ api, customer }) => {
  test.setTimeout(120_000);
  await writeFile(path.join(folder.path, 'collection.json'), (await api('GET', '/postman.json')).text);
  const { BASE_URL: _baseUrl, ...keys } = environmentOf(customer);
  expect(await runCollection('collection.json', keys)).toEqual(allSucceeded);
});

test('generated clients: the served collection runs in Bruno as imported', async ({ api, customer }) => {
  test.setTimeout(120_000);
  await writeFile(path.join(folder.path, 'collection.json'), (await api('GET', '/postman.json')).text);
  await run(process.execPath, ['bruno.mjs']);
  const program = path.join(folder.path, 'node_modules', '.bin', 'bru');
  const keys = [`API_KEY=${customer.apiKey}`, `API_SECRET=${customer.apiSecret}`];
  const report = path.join(folder.path, 'bruno.json');
  const variables = keys.flatMap((key) => ['--env-var', key]);
  const parameters = ['run', ...variables, '--reporter-json', report];
  await run(program, parameters, {}, path.join(folder.path, 'bruno'));
  const [{ results } = { results: [] }] = JSON.parse(await readFile(report, 'utf8')) as {
    results: { response: { status: number } }[];
  }[];
  expect(results.map(({ response }) => response.status)).toEqual(allSucceeded);
});

test("generated clients: Postman's converter makes requests that run", async ({ baseURL, customer }) => {
  test.setTimeout(120_000);
  const examples = 'parametersResolution=Example,requestParametersResolution=Example';
  await tool('openapi2postmanv2', '-s', 'openapi.json', '-o', 'converted.json', '-p', '-O', examples);
  const file = path.join(folder.path, 'converted.json');
  const collection = JSON.parse(await readFile(file, 'utf8')) as Folder;
  const requests = requestsIn(collection);
  const [added, removed] = ['Add a card', 'Remove a card'].map((name) =>
    requests.find((item) => item.name === name),
  );
  if (!added || !removed) throw new Error('The converter has left out a request.');
  // What it cannot know: the second of the two keys, and the card to remove.
  for (const { request } of requests)
    request.header.push({ key: 'X-AUTH-APISECRET', value: '{{apiSecret}}' });
  const exec = ["pm.collectionVariables.set('uuid', pm.response.json().card.uuid)"];
  added.event = [{ listen: 'test', script: { exec } }];
  removed.request.url.variable = [{ key: 'uuid', value: '{{uuid}}' }];
  await writeFile(file, JSON.stringify(collection));
  const { apiKey, apiSecret } = customer;
  const variables = { baseUrl: baseURL ?? '', apiKey, apiSecret };
  expect(await runCollection('converted.json', variables)).toEqual(allSucceeded);
});
