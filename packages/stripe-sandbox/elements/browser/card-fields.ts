/** Parses what a person typed into a card field: formatting, brand, completeness, and errors. */
import { hasLuhnDigit } from '../../cards/numbers.ts';
import type { FieldError } from './protocol.ts';

export type FieldReading = {
  /** Formatted for display. */
  text: string;
  digits: string;
  empty: boolean;
  complete: boolean;
  /** Shown while the person types. */
  error: FieldError | undefined;
  /** Shown when the person leaves the field or asks for a token. */
  unfinished: FieldError | undefined;
  brand?: string;
};

function fieldError(code: string, message: string): FieldError {
  return { type: 'validation_error', code, message };
}

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

function groupDigits(digits: string, groups: number[]): string {
  const parts: string[] = [];
  let start = 0;
  for (const size of groups) {
    if (start < digits.length) parts.push(digits.slice(start, start + size));
    start += size;
  }
  return parts.join(' ');
}

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

const YEARS_AHEAD_MAX = 50;

/** Accepts `1/31`, `12-2031`, and `1231`. @returns up to four digits, MMYY */
function expiryDigits(raw: string): string {
  const dated = /^\s*(\d{1,2})\s*[/\-.]\s*(?:20)?(\d{2})\s*$/.exec(raw);
  if (dated?.[1] && dated[2]) return dated[1].padStart(2, '0') + dated[2];
  const digits = raw.replace(/\D/g, '');
  if (digits.length === 6 && digits.slice(2, 4) === '20') return digits.slice(0, 2) + digits.slice(4);
  const needsZero = /^[2-9]/.test(digits) || /^1[3-9]/.test(digits);
  return (needsZero ? `0${digits}` : digits).slice(0, 4);
}

function expiryError(month: number, year: number, now: Date) {
  if (month < 1) return fieldError('invalid_expiry_month', "Your card's expiration month is invalid.");
  const thisYear = now.getFullYear();
  if (year < thisYear)
    return fieldError('invalid_expiry_year_past', "Your card's expiration year is in the past.");
  if (year > thisYear + YEARS_AHEAD_MAX)
    return fieldError('invalid_expiry_year', "Your card's expiration year is invalid.");
  if (year === thisYear && month < now.getMonth() + 1)
    return fieldError('invalid_expiry_month_past', "Your card's expiration date is in the past.");
  return undefined;
}

/** @param now compared with the expiry in the browser's time zone */
export function readCardExpiry(raw: string, now: Date): FieldReading {
  const digits = expiryDigits(raw);
  const [month, year] = [digits.slice(0, 2), digits.slice(2)];
  const isFull = digits.length === 4;
  const century = Math.floor(now.getFullYear() / 100) * 100;
  const error = isFull ? expiryError(Number(month), century + Number(year), now) : undefined;
  const incomplete = fieldError('incomplete_expiry', "Your card's expiration date is incomplete.");
  return {
    text: digits.length < 2 ? digits : `${month} / ${year}`,
    digits,
    empty: digits === '',
    complete: isFull && error === undefined,
    error,
    unfinished: isFull ? error : incomplete,
  };
}

/** @param brand the brand of the number field: American Express has four digits, the others three */
export function readCardCvc(raw: string, brand: string): FieldReading {
  const digits = raw.replace(/\D/g, '').slice(0, 4);
  const needed = brand === 'amex' ? 4 : 3;
  const isFull = brand === 'unknown' ? digits.length >= 3 : digits.length === needed;
  const isTooLong = brand !== 'unknown' && digits.length > needed;
  const error = isTooLong ? fieldError('invalid_cvc', "Your card's security code is invalid.") : undefined;
  const incomplete = fieldError('incomplete_cvc', "Your card's security code is incomplete.");
  return {
    text: digits,
    digits,
    empty: digits === '',
    complete: isFull,
    error,
    unfinished: isFull ? undefined : (error ?? incomplete),
  };
}
