/** Luhn check, ISO/IEC 7812-1. */
export function hasLuhnDigit(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return number.length > 0 && sum % 10 === 0;
}

const LENGTHS = [13, 14, 15, 16, 17, 18, 19];

/** A run of digits, possibly grouped; not part of a word or a UUID. */
const DIGIT_RUN = /(?<![0-9A-Za-z-])\d(?:(?:[ +-]|%20)?\d){12,}(?![0-9A-Za-z-])/g;

/** Redacts runs of digits that contain a possible card number. */
export function withoutNumbers(text: string): string {
  return text.replace(DIGIT_RUN, (run) =>
    containsNumber(run.replaceAll('%20', '').replace(/\D/g, '')) ? '[redacted]' : run,
  );
}

/** @returns JSON without card numbers in its strings; JSON numbers (times, amounts) are kept */
export function jsonWithoutNumbers(value: object): string {
  return JSON.stringify(value, (_key, inner) => (typeof inner === 'string' ? withoutNumbers(inner) : inner));
}

function containsNumber(digits: string): boolean {
  return LENGTHS.some((length) =>
    Array.from({ length: Math.max(0, digits.length - length + 1) }, (_, start) =>
      digits.slice(start, start + length),
    ).some(hasLuhnDigit),
  );
}
