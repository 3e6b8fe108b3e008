import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { parse } from 'yaml';
import { operations } from '#src/api/operations/index.ts';
import { expect, test } from '../support/fixtures.ts';

const require = createRequire(import.meta.url);
const redocly = path.join(path.dirname(require.resolve('@redocly/cli/package.json')), 'bin', 'cli.js');

/** Returns a line for each problem in OpenAPI documents (JSON or YAML), including warnings. */
type Linter = (documents: string[]) => Promise<string[]>;

type Report = { problems: { ruleId: string; message: string }[] };

/** Applies Redocly's `recommended-strict` rules. */
const lintByRedocly: Linter = async (documents) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'openapi-'));
  // JSON is also valid YAML.
  const files = documents.map((_, index) => path.join(folder, `${index}.yaml`));
  for (const [index, file] of files.entries()) await writeFile(file, documents[index] ?? '');
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const parameters = [redocly, 'lint', '--format=json', '--extends=recommended-strict', ...files];
  // The command fails when it reports problems.
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { env, cwd: folder }).catch(
    (failed: { stdout: string }) => failed,
  );
  await rm(folder, { recursive: true });
  // It prints an object for each file, one after the other.
  const reports: Report[] = JSON.parse(`[${stdout.replace(/^\}\{/gm, '},{')}]`);
  expect(reports).toHaveLength(documents.length);
  return reports.flatMap(({ problems }) => problems).map(({ ruleId, message }) => `${ruleId}: ${message}`);
};

/** Applies Spectral's recommended rules for OpenAPI. */
const lintBySpectral: Linter = async (documents) => {
  const linter = new spectral.Spectral();
  linter.setRuleset({
    extends: rulesets.oas,
    rules: {
      'duplicated-entry-in-enum': {
        ...rulesets.oas.rules['duplicated-entry-in-enum'],
        // The rule's own path throws on a null in an example.
        given: '$..[?(@ && @.enum)]',
      },
    },
  } as RulesetDefinition);
  const problems = await Promise.all(documents.map((document) => linter.run(document)));
  return problems.flat().map(({ code, message }) => `${code}: ${message}`);
};

const linters: [string, Linter][] = [
  ['Redocly', lintByRedocly],
  ['Spectral', lintBySpectral],
];

const documentPaths = ['/openapi.json', '/openapi.yaml', '/openapi-3.0.json'];

for (const [name, lint] of linters) {
  test(`OpenAPI: ${name} reports nothing for ${documentPaths.join(', ')}`, {
    tag: name === 'Redocly' ? '@thorough' : [],
  }, async ({ api }) => {
    const responses = await Promise.all(documentPaths.map((path) => api('GET', path)));
    expect(await lint(responses.map(({ text }) => text))).toEqual([]);
  });

  test(`OpenAPI: ${name} reports an operation without an operationId`, { tag: '@thorough' }, async ({
    api,
  }) => {
    const { text } = await api('GET', '/openapi.json');
    const problems = await lint([text, text.replace('"operationId":"addCard",', '')]);
    expect(problems).toEqual([expect.stringMatching(/^operation-operationId: /)]);
  });
}

test('OpenAPI: the YAML equals the JSON', async ({ api }) => {
  const [yaml, json] = [await api('GET', '/openapi.yaml'), await api('GET', '/openapi.json')];
  expect(parse(yaml.text)).toEqual(json.json);
});

test('Postman collection: its requests add and remove a card in order', async ({
  api,
  customer,
  clientOf,
}) => {
  type Item = { request: { method: string; url: string; header: Pair[]; body?: { raw: string } } };
  type Pair = { key: string; value: string };
  const { item, variable } = (await api('GET', '/postman.json')).json as { item: Item[]; variable: Pair[] };
  const values = new Map(variable.map(({ key, value }) => [key, value]));
  values.set('API_KEY', customer.apiKey).set('API_SECRET', customer.apiSecret);
  const fill = (text: string) =>
    text.replace(/\{\{([^}]+)\}\}/g, (_, name) =>
      name === '$guid' ? crypto.randomUUID() : (values.get(name) ?? ''),
    );
  const statuses: number[] = [];
  for (const { request } of item) {
    const headers = Object.fromEntries(request.header.map(({ key, value }) => [key, fill(value)]));
    const body = request.body && { body: request.body.raw };
    const response = await api(request.method, fill(request.url), { headers, ...body });
    statuses.push(response.status);
    const { card } = response.json as { card?: { uuid: string } };
    if (card) values.set('CARD_UUID', card.uuid);
  }
  expect(statuses).toEqual(operations.map(() => 200));
  expect((await clientOf(customer).getCustomer()).cards).toEqual([]);
});
