import { expect, test } from 'vitest';
import type { ErrorBody } from '#src/api/schemas/error.ts';
import { openApiDocument } from './openapi.ts';
import { operations } from './operations/index.ts';

const about = {
  serviceName: 'Springfield Deliveries',
  supportContact: 'help@springfield.test',
  publicUrl: 'https://api.springfield.test',
};
const document = openApiDocument(about);

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
    getCustomer: '200 304 400 401 403 405 408 429 431 500 503',
    getPayout: '200 304 400 401 403 405 408 429 431 500 503',
    addCard: '200 400 401 403 405 408 409 413 415 422 424 429 431 500 503',
    removeCard: '200 400 401 403 404 405 408 409 422 429 431 500 503',
  });
});

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
