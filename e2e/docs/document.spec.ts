import { parse } from 'yaml';
import { expect, test } from '../support/fixtures.ts';
import { type Linter, lintByRedocly, lintBySpectral } from './linters.ts';

const linters: [string, Linter][] = [
  ['Redocly', lintByRedocly],
  ['Spectral', lintBySpectral],
];

for (const [name, lint] of linters) {
  for (const path of ['/openapi.json', '/openapi.yaml']) {
    test(`OpenAPI: ${name} reports nothing for ${path}`, async ({ api }) => {
      expect(await lint((await api('GET', path)).text)).toEqual([]);
    });
  }

  test(`OpenAPI: ${name} reports an operation without an operationId`, async ({ api }) => {
    const { text } = await api('GET', '/openapi.json');
    const problems = await lint(text.replace('"operationId":"addCard",', ''));
    expect(problems).toEqual([expect.stringMatching(/^operation-operationId: /)]);
  });
}

test('OpenAPI: the YAML equals the JSON', async ({ api }) => {
  const [yaml, json] = [await api('GET', '/openapi.yaml'), await api('GET', '/openapi.json')];
  expect(parse(yaml.text)).toEqual(json.json);
});
