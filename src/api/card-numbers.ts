/**
 * Spaces, dashes, underscores, invisible characters, and what else groups digits. No colon: with it, about 1 in 30 timestamps
 * such as `2026-11-30 23:45:00.015838+00:00` would count as a card number.
 */
const separator = String.raw`[\s\p{Pd}\p{Pc}\p{Cf}./+·]`;
const between = new RegExp(`${separator}+`, 'u');
const digitRun = new RegExp(String.raw`\d(?:${separator}{0,3}\d){12,}`, 'gu');
const uuid = /\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/gi;
const [digitsMin, digitsMax] = [13, 19];

/** Prefixes and lengths of the networks' numbers (https://en.wikipedia.org/wiki/Payment_card_number). */
const ranges = [
  /^4(\d{12}|\d{15,18})$/, // Visa
  /^(5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$/, // Mastercard
  /^3[47]\d{13}$/, // American Express
  /^(6011|64[4-9]\d|65\d\d)\d{12,15}$/, // Discover
  /^(30[0-5]\d|3095|3[689]\d\d)\d{10,15}$/, // Diners Club
  /^35(2[89]|[3-8]\d)\d{12,15}$/, // JCB
  /^(62|81)\d{14,17}$/, // UnionPay
  /^(5018|5020|5038|5893|6304|6759|676[1-3])\d{9,15}$/, // Maestro
  /^220[0-4]\d{12,15}$/, // Mir
  /^(508\d|60\d\d|82\d\d)\d{12}$/, // RuPay
];
/** One expression, because a text of 16 KB with single digits has tens of thousands of possible numbers. */
const inRange = new RegExp(ranges.map(({ source }) => source).join('|'));

/**
 * Whether a text contains a possible card number: digits in the range and length of a network that pass the Luhn check,
 * grouped or not, also directly before or after other digits such as an expiry or a security code.
 */
export function hasCardNumber(text: string): boolean {
  const plain = text
    .normalize('NFKC')
    .replace(/(?![0-9])\p{Nd}/gu, asciiDigit)
    .replace(uuid, '');
  return [...plain.matchAll(digitRun)].some(([run]) => groupsHoldNumber(run.split(between)));
}

/** The digits of a script follow one another, from zero, and some scripts have two sets, one directly after the other. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}

/** Whether a number begins and ends where groups do. */
function groupsHoldNumber(groups: string[]): boolean {
  const digits = groups.join('');
  const isBound = new Uint8Array(digits.length + 1).fill(1, 0, 1);
  let end = 0;
  for (const group of groups) {
    end += group.length;
    isBound[end] = 1;
  }
  for (let start = 0; start < digits.length; start++) {
    if (!isBound[start]) continue;
    for (let length = digitsMin; length <= digitsMax; length++) {
      if (isBound[start + length] && isCardNumber(digits, start, start + length)) return true;
    }
  }
  return false;
}

/** Checks every key and value of a parsed JSON document, however deep, so without recursion. */
export function holdsCardNumber(document: unknown): boolean {
  const values = [document];
  while (values.length > 0) {
    const value = values.pop();
    if (typeof value === 'string' || typeof value === 'number') {
      if (hasCardNumber(String(value))) return true;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) values.push(key, inner);
    }
  }
  return false;
}

function isCardNumber(text: string, start: number, end: number): boolean {
  return isLuhn(text, start, end) && inRange.test(text.slice(start, end));
}

const zero = '0'.charCodeAt(0);

function isLuhn(text: string, start: number, end: number): boolean {
  let sum = 0;
  for (let index = end - 1, isDoubled = false; index >= start; index--, isDoubled = !isDoubled) {
    const digit = text.charCodeAt(index) - zero;
    const doubled = digit * 2;
    if (!isDoubled) sum += digit;
    else sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
