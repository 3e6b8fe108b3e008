import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { newToken, tokenHash } from './tokens.ts';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const numberOf = (text: string) => [...text].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);

test.each([
  ['key', 'live'],
  ['key', 'test'],
  ['secret', 'live'],
  ['secret', 'test'],
] as const)('a %s for %s says so, is random, and carries its checksum', (kind, mode) => {
  const tokens = Array.from({ length: 200 }, () => newToken(kind, mode));
  expect(new Set(tokens).size).toBe(200);
  for (const token of tokens) {
    expect(token).toMatch(new RegExp(`^${kind}_${mode}_[0-9A-Za-z]{28}$`));
    expect(numberOf(token.slice(-6))).toBe(crc32(token.slice(0, -6)));
  }
});

test('tokenHash: is the SHA-256 of the token', () => {
  expect(tokenHash('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
