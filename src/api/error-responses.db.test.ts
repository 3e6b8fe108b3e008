import { describe, expect, it } from 'vitest';
import { type ProblemCode, problems } from '#src/errors.ts';
import { call, type TestResponse, testService } from '#tools/testing/api.ts';
import { newCustomer } from '#tools/testing/factories.ts';
import { addCard } from './operations/add-card.ts';
import { getCustomer } from './operations/get-customer.ts';
import { HttpProblem } from './problems.ts';
import { refuseUnrouted } from './router.ts';

const publicUrl = 'https://api.springfield.test';
const service = await testService({ PUBLIC_URL: publicUrl });
const customer = await newCustomer(service.db);

function expectError(response: TestResponse, type: ProblemCode, details: object = {}): void {
  const { status, message } = problems[type];
  const request_id = response.headers.get('x-request-id');
  const doc_url = `${publicUrl}/docs/errors#${type}`;
  expect(response.status).toBe(status);
  expect(response.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
  expect(response.text).toBe(
    JSON.stringify({ error: { code: status, message, type, doc_url, request_id, ...details } }),
  );
}

describe('error responses have type, doc_url, and request_id', () => {
  it('of an operation', async () => {
    expectError(await call(getCustomer, null), 'authentication_required');
    expectError(await call(getCustomer, { ...customer, apiSecret: 'secret_test_wrong' }), 'secret_invalid');
    expectError(await call(addCard, customer, { body: { card: {} } }), 'invalid_input', {
      details: [{ param: 'token', message: 'Is required.' }],
    });
    const headers = { 'X-Request-Id': 'order-2026-11-20.7' };
    expectError(await call(addCard, customer, { body: '{', headers }), 'malformed_json');
  });

  it('of 404 and 405', async () => {
    expectError(await call({ method: 'GET', path: '/api/nothing' }, null), 'not_found');
    expectError(await call({ method: 'PATCH', path: getCustomer.path }, null), 'method_not_allowed');
  });

  it('of an unreadable request', async () => {
    const { status, headers, body } = await refuseUnrouted(
      new HttpProblem('request_unreadable'),
      new Request('http://localhost/'),
    );
    const text = String(body);
    expectError(
      { status, headers: new Headers(headers), text, json: JSON.parse(text) },
      'request_unreadable',
    );
  });

  it('of the webhook', async () => {
    const webhook = { method: 'POST', path: '/api/webhooks/stripe' };
    expectError(await call(webhook, null, { body: {} }), 'signature_invalid');
  });

  it('of a replay, byte for byte as in the first response', async () => {
    const headers = { 'Idempotency-Key': 'order-71-card' };
    const request = { body: { token: 'tok_1234567890abcdef', card: {} }, headers };
    const first = await call(addCard, customer, request);
    expectError(first, 'token_invalid');
    const replay = await call(addCard, customer, request);
    expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([first.text, 'true']);
    expect(replay.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  });
});
