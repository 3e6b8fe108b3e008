import { expect, test } from 'vitest';
import { z } from 'zod';
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
