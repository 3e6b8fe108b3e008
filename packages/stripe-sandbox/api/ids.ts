import { randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** @returns `count` random base62 characters */
export function randomText(count: number): string {
  return Array.from({ length: count }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

const RANDOM_CHARACTERS = { cus: 14, req: 14 } as const;

export type IdPrefix = 'tok' | 'card' | 'cus' | 'pm' | 'seti' | 'setatt' | 'evt' | 'req';

/** @returns an id in the provider's form, e.g. `pm_1Pgc75B7WZ01zgkWlHVgdEGJ` */
export function newId(prefix: IdPrefix): string {
  if (prefix === 'cus' || prefix === 'req') return `${prefix}_${randomText(RANDOM_CHARACTERS[prefix])}`;
  return `${prefix}_1${randomText(23)}`;
}

/** @returns the current instant as the provider gives it, in whole seconds */
export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
