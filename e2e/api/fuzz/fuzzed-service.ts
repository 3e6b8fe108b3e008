/** Compares the responses of a service without rate limits with its OpenAPI document. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { serviceTest } from '#e2e/support/fixtures.ts';
import type { RawResponse, Sent } from '#e2e/support/http.ts';
import type { JsonSchema } from '#src/api/openapi.ts';
import type { ApiDocument, OperationObject, ResponseObject } from '#src/docs/document.ts';
import { problems } from '#src/errors.ts';

const unlimited = '100000000';

/** Its service has no rate limits, so that every request reaches its operation. */
export const test = serviceTest.extend<object, { served: ApiDocument; check: ResponseCheck }>({
  settings: [
    {
      LIMIT_REQUESTS_PER_MINUTE: unlimited,
      LIMIT_FAILED_AUTH_PER_KEY_AND_ADDRESS: unlimited,
      LIMIT_FAILED_AUTH_PER_ADDRESS: unlimited,
      LIMIT_DECLINES_PER_HOUR: unlimited,
      LIMIT_NEW_CARDS_PER_HOUR: unlimited,
    },
    { scope: 'worker' },
  ],
  served: [
    async ({ service }, use) =>
      use((await (await fetch(`${service.url}/openapi.json`)).json()) as ApiDocument),
    { scope: 'worker' },
  ],
  check: [({ served }, use) => use(responseCheck(served)), { scope: 'worker' }],
});

export type Target = { path: string; method: string; operation: OperationObject };

export function targetsOf(served: ApiDocument): Target[] {
  return Object.entries(served.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** @returns the path's operation with this method, or else any operation of the path */
function findTarget(targets: Target[], method: string, url: string): Target | undefined {
  const rest = withoutPrefix(url.split('?', 1)[0] ?? '');
  const ofPath = targets.filter(({ path }) => pattern(withoutPrefix(path)).test(rest));
  return ofPath.find((target) => target.method === method) ?? ofPath[0];
}

function withoutPrefix(path: string): string {
  return path.replace(/^\/(api\/schedule|schedule|api)\/v1/, '');
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/, '[^/]+')}$`);
}

/** Headers of every response that the document doesn't list. */
const unlistedHeaders =
  'connection content-length content-security-policy content-type cross-origin-resource-policy date keep-alive referrer-policy transfer-encoding x-content-type-options'.split(
    ' ',
  );

/** @returns a function that lists what is wrong with a response of an operation */
function documentCheck(served: ApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const compiled = new Map<JsonSchema, ReturnType<typeof ajv.compile>>();
  const isValid = (schema: JsonSchema, value: unknown) => {
    const known = compiled.get(schema) ?? ajv.compile({ ...schema, components: served.components });
    compiled.set(schema, known);
    return known(value) ? [] : [ajv.errorsText(known.errors)];
  };
  return (operation: OperationObject, response: RawResponse, isHead: boolean) => {
    const { status, text } = response;
    const listed = operation.responses[status];
    if (!listed) return [`${status} is not listed`];
    const faults = headerFaults(listed.headers ?? {}, response.headers);
    if (status >= 500) faults.push(`${status} is a fault of the service`);
    const media = listed.content?.['application/json'];
    if (isHead || !media) return text === '' ? faults : [...faults, 'an unexpected body'];
    if (!/^application\/json; charset=utf-8$/.test(response.headers['content-type'] ?? ''))
      return [...faults, `not JSON: ${response.headers['content-type']}`];
    return [...faults, ...isValid(media.schema, JSON.parse(text))];
  };
}

function headerFaults(
  listed: NonNullable<ResponseObject['headers']>,
  headers: Record<string, string>,
): string[] {
  const names = new Map(Object.entries(listed).map(([name, header]) => [name.toLowerCase(), header]));
  const missing = [...names].flatMap(([name, { required, schema }]) => {
    const value = headers[name];
    if (value === undefined) return required ? [`${name} is missing`] : [];
    return schema.type === 'integer' && !/^\d+$/.test(value) ? [`${name} is not an integer`] : [];
  });
  const unlisted = Object.keys(headers).filter((name) => !names.has(name) && !unlistedHeaders.includes(name));
  return [...missing, ...unlisted.map((name) => `${name} is not listed`)];
}

type ResponseCheck = (request: Pick<Sent, 'method' | 'path'>, response: RawResponse) => string[];

/** @returns a function that lists what is wrong with a response, also with one to a path without an operation */
function responseCheck(served: ApiDocument): ResponseCheck {
  const check = documentCheck(served);
  const targets = targetsOf(served);
  return ({ method, path }, response) => {
    const isHead = method === 'HEAD';
    const target = findTarget(targets, method, path);
    const faults = target ? check(target.operation, response, isHead) : unknownPathFaults(response, isHead);
    return /<html|<!doctype/i.test(response.text) ? [...faults, 'HTML'] : faults;
  };
}

/** A path without an operation gets an error as JSON. So does a request that can't be parsed. */
function unknownPathFaults({ status, headers, text }: RawResponse, isHead: boolean): string[] {
  if (![400, 404, 405, 421, 431].includes(status)) return [`${status} for a path without an operation`];
  if (!headers['content-type']?.startsWith('application/json')) return ['not JSON'];
  if (isHead) return [];
  const { code, type, request_id } = JSON.parse(text).error;
  const isError = code === status && type in problems && request_id === headers['x-request-id'];
  return isError ? [] : ['not an error body'];
}
