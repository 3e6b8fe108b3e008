import fc from 'fast-check';
import type { TestCustomer } from '#e2e/support/fixtures.ts';
import type { Sent } from '#e2e/support/http.ts';
import { pathsOf } from '#src/api/router.ts';
import type { ApiDocument, OperationObject } from '#src/docs/document.ts';
import { bodies, hostileText, validValue } from './bodies.ts';
import type { Target } from './fuzzed-service.ts';

/** A header value can have one line of Latin-1. */
const headerText = fc
  .oneof(hostileText, fc.string({ unit: 'binary-ascii', maxLength: 300 }))
  .map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '').slice(0, 2000));

/** Both authentication headers: valid, wrong, or missing. */
function credentials({ apiKey, apiSecret }: TestCustomer): fc.Arbitrary<Record<string, string>> {
  const pair = (key: string, secret: string) => ({ 'X-AUTH-APIKEY': key, 'X-AUTH-APISECRET': secret });
  return fc.oneof(
    { weight: 12, arbitrary: fc.constant(pair(apiKey, apiSecret)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom({}, { 'X-AUTH-APIKEY': apiKey }, { 'X-AUTH-APISECRET': apiSecret }),
    },
    { weight: 1, arbitrary: headerText.map((text) => pair(apiKey, text)) },
    { weight: 1, arbitrary: headerText.map((text) => pair(text, apiSecret)) },
  );
}

const otherHeaders = fc.record(
  {
    'Idempotency-Key': fc.oneof(fc.constantFrom('a', 'b', 'one key'), fc.uuid(), headerText),
    'If-None-Match': fc.oneof(fc.constantFrom('*', '"x"', 'W/"x"', '"', ', ,'), headerText),
    'X-Request-Id': fc.oneof(fc.constantFrom('order-2026:1', '4242424242424242'), headerText),
    'X-Forwarded-For': headerText,
    Accept: fc.constantFrom('text/html', '*/*', 'application/xml'),
    'Accept-Language': headerText,
    Cookie: fc.oneof(fc.constantFrom('session=Fe26.2*1*x', 'session=%', 'session='), headerText),
    'X-Padding': fc.oneof(
      { weight: 12, arbitrary: headerText },
      { weight: 1, arbitrary: fc.constant('x'.repeat(17_000)) },
    ),
    Origin: fc.constantFrom('https://evil.example', 'null'),
    'Sec-Fetch-Site': fc.constantFrom('cross-site', 'same-origin', 'none'),
    Expect: fc.constantFrom('100-continue', 'x-unknown'),
    Range: fc.constantFrom('bytes=0-1', 'x'),
    Host: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom('localhost', 'evil.example') },
      { weight: 1, arbitrary: fc.constantFrom('a b', 'x:99999', '[::1', 'user@x', '%') },
    ),
  },
  { requiredKeys: [] },
);

const contentType = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('application/json', 'application/json; charset=utf-8') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('text/plain', 'application/xml', 'multipart/form-data', '', 'a/b;c'),
  },
  { weight: 1, arbitrary: headerText },
);

/** Replaced by a card of the customer's own before the request is sent. */
export const ownCardPlaceholder = '{own card}';

const selectors = fc.oneof(
  { weight: 2, arbitrary: fc.constant(ownCardPlaceholder) },
  { weight: 3, arbitrary: fc.uuid() },
  { weight: 3, arbitrary: fc.bigInt({ min: 0n, max: 10n ** 40n }).map(String) },
  {
    weight: 4,
    arbitrary: fc
      .oneof(hostileText, fc.constantFrom('%', '%zz', '%00', '-1', '1.5', ' ', '1%2F2'))
      .map(segment),
  },
);

/** One path segment, escaped unless it tests invalid escapes. */
export function segment(text: string): string {
  const wellFormed = text.toWellFormed().slice(0, 400);
  const isEscaped = /^%/.test(wellFormed) && /^[\x21-\x7e]*$/.test(wellFormed);
  return (isEscaped ? wellFormed : encodeURIComponent(wellFormed)).replaceAll(/[/?#]/g, '') || 'x';
}

const suffixes = fc.oneof(
  { weight: 10, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('?', '?a=1', '?__proto__=1', '?uuid=1&uuid=2', '?%') },
);
const detours = fc.oneof(
  { weight: 14, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('/', '/x', '//', '/%2e%2e', '.json', '%00') },
);

/** Any of the operation's query parameters, valid or hostile. */
function queries(operation: OperationObject, served: ApiDocument): fc.Arbitrary<string> {
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
  if (parameters.length === 0) return fc.constant('');
  const values = parameters.map(({ name, schema }) => [
    name,
    fc.oneof(validValue(schema, served).map(String), hostileText),
  ]);
  return fc
    .record(Object.fromEntries(values) as Record<string, fc.Arbitrary<string>>, { requiredKeys: [] })
    .map((query) => {
      const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, value ?? '']));
      return text.size > 0 ? `?${text}` : '';
    });
}

/** Requests for an operation of the document: valid, nearly valid, and hostile, in every part. */
export function requestsFor(
  { path, method, operation }: Target,
  served: ApiDocument,
  customer: TestCustomer,
) {
  const schema = operation.requestBody?.content['application/json'].schema;
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
  const wrongMethods = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH'].filter((name) => !methods.includes(name));
  return fc
    .record({
      path: fc.constantFrom(...pathsOf(path)),
      selector: selectors,
      detour: detours,
      suffix: suffixes,
      query: queries(operation, served),
      method: fc.oneof(
        { weight: 14, arbitrary: fc.constantFrom(...methods) },
        { weight: 1, arbitrary: fc.constantFrom(...wrongMethods) },
      ),
      keys: credentials(customer),
      others: otherHeaders,
      type: contentType,
      body: schema ? bodies(schema, served) : fc.option(fc.uint8Array({ maxLength: 50 }).map(Buffer.from)),
    })
    .map((parts): Sent => {
      const isBodied = parts.body !== null && (schema !== undefined || parts.method === 'DELETE');
      return {
        method: parts.method,
        path: parts.path.replace(/\{\w+\}/g, parts.selector) + parts.detour + (parts.suffix || parts.query),
        headers: { ...parts.keys, ...parts.others, ...(schema && { 'Content-Type': parts.type }) },
        ...(isBodied && parts.body && { body: parts.body }),
      };
    });
}
