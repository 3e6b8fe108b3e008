import { expect, test } from 'vitest';
import { z } from 'zod';
import { principalOf } from './principal.ts';
import { serialize } from './response-cache.ts';

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
