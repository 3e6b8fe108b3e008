const between = /[\s\p{Pd}]+/u;
const digitRun = /\d(?:[\s\p{Pd}]{0,3}\d){12,}/gu;
const [digitsMin, digitsMax] = [13, 19];

/**
 * Whether a text contains a possible card number: 13 to 19 digits that pass the Luhn check, grouped or not, also directly
 * before or after other digits such as an expiry or a security code.
 */
export function hasCardNumber(text: string): boolean {
  for (const [run] of text.matchAll(digitRun)) {
    const groups = run.split(between);
    if (groups.some((_, first) => startsWithNumber(groups.slice(first, first + digitsMax)))) return true;
  }
  return false;
}

function startsWithNumber(groups: string[]): boolean {
  let digits = '';
  for (const group of groups) {
    digits += group;
    if (digits.length > digitsMax) return false;
    if (digits.length >= digitsMin && isLuhn(digits)) return true;
  }
  return false;
}

/** Checks every key and value of a parsed JSON document. */
export function holdsCardNumber(value: unknown): boolean {
  if (typeof value === 'string') return hasCardNumber(value);
  if (typeof value === 'number') return hasCardNumber(String(value));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => hasCardNumber(key) || holdsCardNumber(inner));
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = digit * 2;
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
