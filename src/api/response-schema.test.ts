import { expect, test } from 'vitest';
import { z } from 'zod';
import { responseSerializer } from './response-schema.ts';

const schema = z.object({ amount: z.number(), note: z.string().optional() });

test('what keeps to the schema is written as it is, each text with a name of its own', () => {
  const check = responseSerializer(schema);
  const [first, again, other] = [check({ amount: 1 }), check({ amount: 1 }), check({ amount: 2 })];
  expect(first).toEqual({ body: '{"amount":1}', etag: expect.stringMatching(/^"[\w-]{27}"$/) });
  expect(again).toEqual(first);
  expect(other.etag).not.toBe(first.etag);
});

test('what the schema does not know is left out, the second time too', () => {
  const check = responseSerializer(schema);
  const output = { amount: 1, secret: 'kept inside' };
  expect([check(output).body, check(output).body]).toEqual(['{"amount":1}', '{"amount":1}']);
});

test('what breaks the schema is refused, the second time too', () => {
  const check = responseSerializer(schema);
  const output = { amount: '1' } as never;
  expect(() => check(output)).toThrow(z.ZodError);
  expect(() => check(output)).toThrow(z.ZodError);
});
