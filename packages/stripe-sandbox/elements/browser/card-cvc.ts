import { type FieldReading, fieldError } from './reading.ts';

/**
 * @param raw what is in the field
 * @param brand of the number next to it: American Express has four digits, the others three
 */
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
