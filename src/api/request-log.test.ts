import { expect, test, vi } from 'vitest';
import { loggedPath, pathOf, requestIdOf, writeLogLine } from './request-log.ts';
import type { Services } from './services.ts';

test.each([
  ['/a?b=c', '/a'],
  ['/a#b', '/a'],
  ['/a/../b', '/a/../b'],
  ['http://host/a?b', '/a'],
  ['http://host', '/'],
  ['', ''],
])('request log: the path of %j is %j', (url, path) => {
  expect(pathOf(url)).toBe(path);
});

test.each([
  ['a usual path', '/cards/7', '/cards/7'],
  ['a long path', `/${'x'.repeat(200)}`, `/${'x'.repeat(199)}`],
  ['a card number', '/cards/4242424242424242', undefined],
  ['a long path with a card number that is cut off', `/${'x'.repeat(190)}4242424242424242`, undefined],
  [
    'a path that is too long to be checked to its end',
    `/${'x'.repeat(2_000)}4242424242424242`,
    `/${'x'.repeat(199)}`,
  ],
  ['a token', '/cards/tok_visa', undefined],
  ['a secret after letters', '/keysecret_live_1', undefined],
  ['an encoded token', '/cards/t%6Fk%5fvisa', undefined],
  ['a token that was encoded twice', '/cards/tok%255Fvisa', undefined],
  ['an encoded token beside what is not UTF-8', '/cards/%ff/tok%5Fvisa', undefined],
  ['what is no encoding', '/cards/100%', '/cards/100%'],
])('request log: has the path, without secrets, of %s', (_, url, path) => {
  expect(loggedPath(url)).toBe(path);
});

test.each([
  ['order-12345678', true],
  ['task_12345678', true],
  ['task1sk_12345', true],
  ['4242.4242.4242.4242', false],
  ['42424242_42424242', false],
  ['ek_test_1', false],
  ['secret_test_1234', false],
  ['tok_visa', false],
  ['btok_us_verified', false],
])('request log: takes the caller’s request ID %s: %s', (requestId, isTaken) => {
  expect(requestIdOf(new Headers({ 'X-Request-Id': requestId })) === requestId).toBe(isTaken);
});

const request = {
  ...{ operation: 'addCard', method: 'POST', path: '/cards', address: '127.0.0.1', requestId: 'request-1' },
  startedAt: 1_000,
  response: { status: 200 },
};

/** @returns the level and the fields of the request's log line, and what was counted */
function logged(changes: Partial<Parameters<typeof writeLogLine>[1]>) {
  const [write, observe, inc] = [vi.fn(), vi.fn(), vi.fn()];
  const at = (level: string) => (line: object) => write(level, line);
  const log = { info: at('info'), warn: at('warn'), error: at('error'), debug: at('debug') };
  const metrics = { requests: { observe }, webhooks: { inc } };
  vi.spyOn(performance, 'now').mockReturnValueOnce(1_250.46);
  const elapsedMs = writeLogLine({ log, metrics } as unknown as Services, { ...request, ...changes });
  const [level, line] = write.mock.lastCall ?? [];
  return { elapsedMs, level, line, observe, inc };
}

test('request log: has the duration to a tenth of a millisecond, and counts it in seconds', () => {
  const { elapsedMs, line, observe } = logged({});
  expect([elapsedMs, line]).toEqual([250.5, expect.objectContaining({ elapsedMs: 250.5 })]);
  expect(observe.mock.calls).toEqual([[{ operation: 'addCard', status: 200 }, 0.2505]]);
});

const cause = new Error('broken');
test.each([
  ['info', 'a success', 200, 'addCard', undefined],
  ['info', 'a refusal', 409, 'addCard', undefined],
  ['warn', 'a failure of the provider', 424, 'addCard', cause],
  ['error', 'a fault of the service', 500, 'addCard', cause],
  ['warn', 'an unavailable service', 503, 'addCard', undefined],
  ['warn', 'a fault without a cause', 500, 'addCard', undefined],
  ['debug', 'a health check', 200, 'health.ready', undefined],
])('request log: the level is %s for %s', (level, _, status, operation, error) => {
  expect(logged({ operation, response: { status }, log: { cause: error } })).toMatchObject({
    level,
    line: { status, operation, error },
  });
});

test('request log: has what the provider was asked, and whether the response was a stored one', () => {
  const providerRequests = [{ call: 'saveCard', elapsedMs: 3 }] as never;
  const headers = { 'Idempotent-Replayed': 'true' };
  expect(logged({ log: { providerRequests }, response: { status: 200, headers } }).line).toMatchObject({
    provider: providerRequests,
    replayed: true,
  });
  expect(logged({ log: { providerRequests: [] } }).line).toMatchObject({
    provider: undefined,
    replayed: undefined,
  });
  expect(logged({}).line).toMatchObject({ provider: undefined });
});

test('request log: counts the provider’s events by type', () => {
  const { inc, line } = logged({ log: { eventId: 'evt_1', eventType: 'customer.deleted' } });
  expect(line).toMatchObject({ eventId: 'evt_1', eventType: 'customer.deleted' });
  expect(inc.mock.calls).toEqual([[{ type: 'customer.deleted', status: 200 }]]);
  expect(logged({}).inc).not.toHaveBeenCalled();
});
