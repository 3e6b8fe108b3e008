import { type FieldReading, fieldError } from './reading.ts';

/** The latest year that a card can show, as years from now. */
const MAX_YEARS_AHEAD = 50;

/** @returns up to four digits: two of the month, two of the year; `1/31`, `12-2031` and `1231` are understood */
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
  if (year > thisYear + MAX_YEARS_AHEAD)
    return fieldError('invalid_expiry_year', "Your card's expiration year is invalid.");
  if (year === thisYear && month < now.getMonth() + 1)
    return fieldError('invalid_expiry_month_past', "Your card's expiration date is in the past.");
  return undefined;
}

/**
 * @param raw what is in the field
 * @param now the instant, on the person's own calendar, whose month a card may not have expired before
 */
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
