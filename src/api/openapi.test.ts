import { expect, test } from 'vitest';
import type { ErrorBody } from '#src/api/response.ts';
import { openApiDocument } from './openapi.ts';
import { openApi30 } from './openapi-30.ts';
import { pathTo } from './operation.ts';
import { operations } from './operations/index.ts';

const settings = {
  SERVICE_NAME: 'Springfield Deliveries',
  SUPPORT_CONTACT: 'help@springfield.test',
  publicUrl: 'https://api.springfield.test',
};
const document = openApiDocument(settings);

type DocumentedResponse = {
  description: string;
  headers?: Record<string, { required?: boolean }>;
  content?: { 'application/json': { examples?: Record<string, { value: ErrorBody }> } };
};
type Paths = Record<
  string,
  Record<string, { operationId: string; responses: Record<string, DocumentedResponse> }>
>;

test('OpenAPI: every operation lists every status with its body', () => {
  const statuses = Object.values(document.paths ?? {}).flatMap((item) =>
    [item.get, item.post, item.delete].flatMap((operation) =>
      operation ? [[operation.operationId, Object.keys(operation.responses ?? {}).join(' ')]] : [],
    ),
  );
  expect(Object.fromEntries(statuses)).toMatchObject({
    getCustomer: '200 304 400 401 403 405 408 421 429 431 500 503',
    getPayout: '200 304 400 401 403 405 408 421 429 431 500 503',
    addCard: '200 400 401 403 405 408 409 413 415 421 422 424 429 431 500 503',
    removeCard: '200 400 401 403 404 405 408 409 421 422 429 431 500 503',
  });
});

test.each([
  ['help@springfield.test', { name: 'Support', email: 'help@springfield.test' }],
  ['https://springfield.test/help', { name: 'Support', url: 'https://springfield.test/help' }],
  ['a@springfield.test?bcc=b@springfield.test', { name: 'a@springfield.test?bcc=b@springfield.test' }],
  ['+1 415 555 0100', { name: '+1 415 555 0100' }],
])(
  'OpenAPI: the contact %s is an email address or a URL only where pages link to it',
  (SUPPORT_CONTACT, contact) => {
    expect(openApiDocument({ ...settings, SUPPORT_CONTACT }).info.contact).toEqual(contact);
  },
);

test('OpenAPI: every error status has a description and an example', () => {
  const documented = Object.values(JSON.parse(JSON.stringify(document.paths)) as Paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.entries(responses).map(([status, response]) => ({ operationId, status, ...response })),
    ),
  );
  const failed = documented.filter(({ status }) => Number(status) >= 400);
  expect(new Set(failed.map(({ operationId }) => operationId))).toEqual(
    new Set(operations.map(({ id }) => id)),
  );
  for (const { operationId, status, description, headers, content } of failed) {
    expect([operationId, status, description]).toEqual([operationId, status, expect.stringMatching(/\.$/)]);
    const isCurable = ['409', '424', '429', '503'].includes(status);
    expect([status, headers?.['Retry-After']?.required]).toEqual([status, isCurable ? true : undefined]);
    const examples = Object.values(content?.['application/json'].examples ?? {});
    const codes = [...new Set(examples.map(({ value }) => value.error.code))];
    expect([operationId, status, codes]).toEqual([operationId, status, [Number(status)]]);
  }
});

test('pathTo: encodes the parameters and the query', () => {
  const path = '/cards/{uuid}/notes/{note}';
  expect(pathTo({ path })).toBe('/cards//notes/');
  const params = { uuid: 'a/b', note: 'c d' };
  expect(pathTo({ path }, { params })).toBe('/cards/a%2Fb/notes/c%20d');
  expect(pathTo({ path }, { params, query: { q: 'e&f' } })).toBe('/cards/a%2Fb/notes/c%20d?q=e%26f');
});

/** Every object in a document, with its pointer. */
function nodes(value: unknown, pointer = ''): { pointer: string; node: Record<string, unknown> }[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, child]) => nodes(child, `${pointer}/${name}`));
  return Array.isArray(value) ? inner : [{ pointer, node: value as Record<string, unknown> }, ...inner];
}

const published = JSON.parse(JSON.stringify(document));

test('OpenAPI: responses can get new fields and new enum values', () => {
  const schemas = nodes(published.components.schemas);
  expect(schemas.filter(({ node }) => node.additionalProperties === false)).toEqual([]);
  expect(schemas.filter(({ node }) => Array.isArray(node.enum))).toEqual([]);
  const { Customer, CardObject } = published.components.schemas;
  expect(Customer.properties.status['x-extensible-enum']).toEqual(['Active', 'Inactive', 'Suspended']);
  expect(CardObject.properties.brand['x-extensible-enum']).toContain('visa');
});

test('OpenAPI: patterns are valid in ECMAScript, Python, Java, and Go', () => {
  const patterns = new Set(
    nodes(published).flatMap(({ node }) => (typeof node.pattern === 'string' ? [node.pattern] : [])),
  );
  expect(patterns.size).toBeGreaterThan(4);
  for (const pattern of patterns) {
    // The syntax that all of them share: no properties of Unicode, lookarounds, named groups, or backreferences.
    expect(pattern).not.toMatch(/\\[pPkQEZzA1-9]|\(\?|[*+?}]\+/);
    for (const flags of ['', 'u', 'v']) expect(() => new RegExp(pattern, flags)).not.toThrow();
  }
  const { brand } = published.components.schemas.CardInput.properties;
  const text = new RegExp(brand.anyOf[0].pattern);
  expect(['Visa', '日本', 'a\nb', 'a\u0085b'].map((value) => text.test(value))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('OpenAPI: every request body, header, path parameter, and response body has an example', () => {
  const hasExample = ({ example, examples }: { example?: unknown; examples?: object }) =>
    example !== undefined || Object.keys(examples ?? {}).length > 0;
  const missing = Object.values(published.paths as Paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, ...operation }) => {
      const { parameters = [], requestBody, responses } = JSON.parse(JSON.stringify(operation));
      const responseParts = Object.entries<DocumentedResponse>(responses).flatMap(
        ([status, { headers = {}, content = {} }]) =>
          Object.entries<object>({ ...headers, ...content }).map(([name, part]) => [
            `${status} ${name}`,
            part,
          ]),
      );
      const parts = [
        ...parameters.map((parameter: { name: string }) => [parameter.name, parameter]),
        ...Object.entries<object>(requestBody?.content ?? {}),
        ...responseParts,
      ];
      return parts.filter(([, part]) => !hasExample(part)).map(([name]) => `${operationId} ${name}`);
    }),
  );
  expect(missing).toEqual([]);
});

test('OpenAPI: credentials are in headers, and no query parameter has one', () => {
  const schemes = Object.values<{ in: string }>(published.components.securitySchemes);
  expect(schemes.map((scheme) => scheme.in)).toEqual(schemes.map(() => 'header'));
  const inQuery = nodes(published.paths).filter(({ node }) => node.in === 'query');
  expect(inQuery.filter(({ node }) => /key|secret|token/i.test(String(node.name)))).toEqual([]);
});

test('OpenAPI: the variants of a response have titles, which generators name their classes after', () => {
  const { AddCardResponse } = published.components.schemas as Record<
    string,
    { oneOf?: { title?: string }[] }
  >;
  expect(AddCardResponse?.oneOf?.map(({ title }) => title)).toEqual(['CardAdded', 'CardNotAdded']);
});

test('OpenAPI: no schema has the name of a common class', () => {
  expect(
    Object.keys(published.components.schemas).filter((name) =>
      /^(Error|Object|String|Map|List|Date)$/.test(name),
    ),
  ).toEqual([]);
});

test('OpenAPI 3.0: has no keyword of 3.1', () => {
  const old = openApi30(document);
  expect(old.openapi).toBe('3.0.3');
  const schemas = nodes(JSON.parse(JSON.stringify(old))).filter(
    ({ pointer }) => pointer.includes('schema') && !/\/examples?\//.test(pointer),
  );
  for (const { pointer, node } of schemas) {
    expect([pointer, Array.isArray(node.type) || node.type === 'null' || 'const' in node]).toEqual([
      pointer,
      false,
    ]);
    expect([pointer, typeof node.exclusiveMinimum]).not.toEqual([pointer, 'number']);
    if ('$ref' in node) expect([pointer, Object.keys(node)]).toEqual([pointer, ['$ref']]);
    if (node.nullable)
      expect([pointer, node.type ?? node.allOf ?? node.anyOf]).not.toEqual([pointer, undefined]);
  }
});
