import { expect, test } from 'vitest';
import { jsonWithoutNumbers, withoutNumbers } from './numbers.ts';

test.each([
  ['4242424242424242', '[redacted]'],
  ['name=4242 4242 4242 4242&x=1', 'name=[redacted]&x=1'],
  ['note=4242-4242-4242-4242', 'note=[redacted]'],
  ['n=4242+4242+4242+4242', 'n=[redacted]'],
  ['n=card%204242%204242%204242%204242', 'n=card%[redacted]'],
  ['n=12 4242424242424242', 'n=[redacted]'],
  ['1763689200001 is a time', '1763689200001 is a time'],
  ['8b9d42d4-2424-4242-8242-424242424242', '8b9d42d4-2424-4242-8242-424242424242'],
])('%s is kept as %s', (text, expected) => {
  expect(withoutNumbers(text)).toBe(expected);
});

test('jsonWithoutNumbers keeps JSON numbers', () => {
  const value = { at: 4_222_222_222_222, note: '4222222222222' };
  expect(JSON.parse(jsonWithoutNumbers(value))).toEqual({ at: 4_222_222_222_222, note: '[redacted]' });
});
