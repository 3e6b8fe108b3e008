/**
 * The service's own keys and secrets: a prefix that says kind and mode, 22 base62 characters (130 random bits) and a
 * checksum of six, so that a leaked one can be found by a scanner without asking us.
 */
import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 22;
const checksumLength = 6;

export type TokenKind = 'key' | 'secret';
export type Mode = 'live' | 'test';

export function newToken(kind: TokenKind, mode: Mode): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  const body = `${kind}_${mode}_${random}`;
  return body + checksum(body);
}

/** SHA-256 of a secret or other random token, as the database keeps it. */
export function tokenHash(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < checksumLength; index++) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
