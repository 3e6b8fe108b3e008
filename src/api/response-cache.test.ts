import { expect, test } from 'vitest';
import { z } from 'zod';
import { responseSerializer } from './response-cache.ts';

const schema = z.object({ amount: z.number(), note: z.string().optional() });

test('response schema: writes a valid body unchanged, with a distinct ETag per body', () => {
  const check = responseSerializer(schema);
  const [first, again, other] = [check({ amount: 1 }), check({ amount: 1 }), check({ amount: 2 })];
  expect(first).toEqual({ body: '{"amount":1}', etag: expect.stringMatching(/^"[\w-]{27}"$/) });
  expect(again).toEqual(first);
  expect(other.etag).not.toBe(first.etag);
});

test('response schema: removes unknown fields, the second time too', () => {
  const check = responseSerializer(schema);
  const output = { amount: 1, secret: 'kept inside' };
  expect([check(output).body, check(output).body]).toEqual(['{"amount":1}', '{"amount":1}']);
});

test('response schema: throws for an invalid body, the second time too', () => {
  const check = responseSerializer(schema);
  const output = { amount: '1' } as never;
  expect(() => check(output)).toThrow(z.ZodError);
  expect(() => check(output)).toThrow(z.ZodError);
});
