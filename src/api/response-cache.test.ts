import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { fakeTimers, timerCount } from '#tools/testing/fake-timers.ts';
import type { ApiResponse, Operation, RequestContext } from './operation.ts';
import { addCard } from './operations/add-card.ts';
import { getCustomer } from './operations/get-customer.ts';
import { getPayout } from './operations/get-payout.ts';
import { principalOf } from './principal.ts';
import { cacheResponses, revalidate, serialize } from './response-cache.ts';

const schema = z.object({ amount: z.number(), note: z.string().optional() });

test('response schema: writes a valid body unchanged, with a distinct ETag per body', () => {
  const [first, again, other] = [1, 1, 2].map((amount) => serialize(schema, { amount }));
  expect(first).toEqual({ body: '{"amount":1}', etag: expect.stringMatching(/^"[\w-]{27}"$/) });
  expect(again).toEqual(first);
  expect(other?.etag).not.toBe(first?.etag);
});

test('response schema: removes unknown fields', () => {
  expect(serialize(schema, { amount: 1, secret: 'kept inside' }).body).toBe('{"amount":1}');
});

test('response schema: throws for an invalid body', () => {
  expect(() => serialize(schema, { amount: '1' })).toThrow(z.ZodError);
});

test('response cache: customers with the same balance have different versions', () => {
  const balance = { month: '2026-11-01', timezone: 'UTC', balanceCents: '128450' };
  const [first, again, other] = [1, 1, 2].map(
    (customerId) => principalOf({ customerId, balance }, 'keys', 1).version,
  );
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

const found: ApiResponse = { status: 200, body: '{}', etag: '"1"' };

/** @returns responses to requests whose data has a version, and how often it was read */
function cacheOf(operation: Operation, response = found, services: object = {}) {
  const step = cacheResponses(operation);
  const read = vi.fn(async () => response);
  const respond = (version: string | null) => {
    const principal = { ...principalOf({ customerId: 1 }, 'keys', 1), version };
    return step?.({ principal, services } as RequestContext, read);
  };
  return { respond, read };
}

test('response cache: reads each version once, also for requests at the same time', async () => {
  const { respond, read } = cacheOf(getPayout);
  const responses = await Promise.all(['1', '1', '2'].map(respond));
  expect([...responses, await respond('1'), await respond('2')]).toEqual(Array(5).fill(found));
  expect(read).toHaveBeenCalledTimes(2);
});

test.each<[string, ReturnType<typeof cacheOf>, string | null]>([
  ['an error', cacheOf(getPayout, { status: 503, body: '{}' }), '1'],
  ['data without a version', cacheOf(getPayout), null],
  ['an operation with parameters', cacheOf({ ...getPayout, request: { query: z.object({}) } }), '1'],
])('response cache: does not cache %s', async (_, { respond, read }, version) => {
  for (const times of [1, 2]) {
    await respond(version);
    expect(read).toHaveBeenCalledTimes(times);
  }
});

test('response cache: a request reads again after the one that it waited for failed', async () => {
  const { respond, read } = cacheOf(getPayout);
  read.mockRejectedValueOnce(new Error('broken'));
  const [first, second] = await Promise.allSettled([respond('1'), respond('1')]);
  expect([first?.status, second?.status, read.mock.calls.length]).toEqual(['rejected', 'fulfilled', 2]);
});

test.each([
  ['does not compress', 8_191, false],
  ['compresses', 8_192, true],
] as const)('response cache: %s a body of %i characters', async (_, length, isCompressed) => {
  const { respond } = cacheOf(getPayout, { ...found, body: 'x'.repeat(length) });
  expect((await respond('1'))?.gzipBody !== undefined).toBe(isCompressed);
});

test('response cache: stores a record that changed after the authentication under its new version', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const row = { customerId: 1, status: 'Active', timezone: 'UTC' };
  const findRecord = vi.fn(async () => ({ ...row, version: 'new' }));
  const { respond, read } = cacheOf(getCustomer, found, { keyReads: { findRecord } });
  const [before, after] = ['old', 'new'].map(
    (version) => principalOf({ ...row, version }, 'keys', 1).version,
  );
  for (const [version, reads] of [
    [before, 1],
    [after, 1],
    [before, 2],
  ] as const) {
    expect(await respond(version ?? null)).toEqual(found);
    expect([read, findRecord].map(({ mock }) => mock.calls.length)).toEqual([reads, reads]);
  }
});

test.each([
  ['both', 15, 0],
  ['the last', 17, 1],
])('response cache: keeps %s of two bodies of %i × 1,048,576 characters', async (_, size, reads) => {
  const { respond, read } = cacheOf(getPayout, { ...found, body: 'x'.repeat(size * 1024 * 1024) });
  for (const version of ['1', '2']) await respond(version);
  read.mockClear();
  await respond('2');
  expect(read).not.toHaveBeenCalled();
  await respond('1');
  expect(read).toHaveBeenCalledTimes(reads);
});

test('response cache: a response leaves the memory after an hour', async () => {
  fakeTimers();
  onTestFinished(() => void vi.restoreAllMocks());
  const { respond } = cacheOf(getPayout);
  await respond('1');
  const clock = vi.spyOn(performance, 'now');
  const minutesLater = (minutes: number) => {
    clock.mockReturnValue(performance.now() + minutes * 60_000);
    vi.advanceTimersByTime(minutes * 60_000);
    return timerCount('lru-cache');
  };
  expect(minutesLater(59)).toBe(1);
  expect(minutesLater(2)).toBe(0);
});

test.each([
  ['keys', '"1"', 304],
  ['keys', '"2"', 200],
  ['session', '"1"', 200],
  ['keys', undefined, 200],
] as const)(
  'revalidation: a caller by %s whose response has the ETag %s gets %i for "1"',
  async (via, etag, status) => {
    const context: Partial<RequestContext> = {
      principal: principalOf({ customerId: 1 }, via, 1),
      request: new Request('http://127.0.0.1/', { headers: { 'If-None-Match': '"1"' } }),
    };
    const response: ApiResponse = { status: 200, body: '{}', ...(etag && { etag }) };
    const revalidated = await revalidate(getPayout)?.(context as RequestContext, async () => response);
    const headers = via === 'keys' && etag ? { headers: expect.objectContaining({ ETag: etag }) } : {};
    expect(revalidated).toEqual(
      status === 304 ? { status, body: '', ...headers } : { ...response, ...headers },
    );
  },
);

test('response cache, revalidation: do not apply to writes', () => {
  expect([cacheResponses(addCard), revalidate(addCard)]).toEqual([null, null]);
});
