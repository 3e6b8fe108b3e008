/** What the digits of a card number say: the brand, how they are grouped, whether they can be a number. */
import { hasLuhnDigit } from '../../cards/numbers.ts';
import { type FieldReading, fieldError } from './reading.ts';

type BrandRule = { brand: string; prefix: RegExp; lengths: number[]; groups: number[] };

const FOURS = [4, 4, 4, 4, 3];

const BRAND_RULES: BrandRule[] = [
  { brand: 'visa', prefix: /^4/, lengths: [16], groups: FOURS },
  {
    brand: 'mastercard',
    prefix: /^(5[1-5]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720))/,
    lengths: [16],
    groups: FOURS,
  },
  { brand: 'amex', prefix: /^3[47]/, lengths: [15], groups: [4, 6, 5] },
  { brand: 'discover', prefix: /^6(011|4[4-9]|5)/, lengths: [16], groups: FOURS },
  { brand: 'diners', prefix: /^3[689]/, lengths: [14], groups: [4, 6, 4] },
  { brand: 'diners', prefix: /^30[0-5]/, lengths: [16], groups: FOURS },
  { brand: 'jcb', prefix: /^35/, lengths: [16], groups: FOURS },
  { brand: 'unionpay', prefix: /^(62|81)/, lengths: [16, 17, 18, 19], groups: FOURS },
];
const UNKNOWN: BrandRule = { brand: 'unknown', prefix: /^/, lengths: [16], groups: FOURS };

const ruleOf = (digits: string) => BRAND_RULES.find(({ prefix }) => prefix.test(digits)) ?? UNKNOWN;

/** @returns the digits in the groups that are printed on the card */
export function groupDigits(digits: string, groups: number[]): string {
  const parts: string[] = [];
  let start = 0;
  for (const size of groups) {
    if (start < digits.length) parts.push(digits.slice(start, start + size));
    start += size;
  }
  return parts.join(' ');
}

/** @param raw what is in the field, typed, pasted or filled in by the browser */
export function readCardNumber(raw: string): FieldReading {
  const all = raw.replace(/\D/g, '');
  const { brand, lengths, groups } = ruleOf(all);
  const digits = all.slice(0, Math.max(...lengths));
  const hasLength = lengths.includes(digits.length);
  const isValid = hasLength && hasLuhnDigit(digits);
  const isInvalid = digits.length === Math.max(...lengths) && !isValid;
  const incomplete = fieldError('incomplete_number', 'Your card number is incomplete.');
  return {
    text: groupDigits(digits, groups),
    digits,
    empty: digits === '',
    complete: isValid,
    error: isInvalid ? fieldError('invalid_number', 'Your card number is invalid.') : undefined,
    unfinished: isValid ? undefined : incomplete,
    brand,
  };
}
