/** @returns whether the last digit is the right check digit (ISO/IEC 7812, Luhn) */
export function hasLuhnDigit(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return number.length > 0 && sum % 10 === 0;
}

const LENGTHS = [13, 14, 15, 16, 17, 18, 19];

/** A run of digits, perhaps in groups; not a part of a word or of a UUID. */
const DIGIT_RUN = /(?<![0-9A-Za-z-])\d(?:(?:[ +-]|%20)?\d){12,}(?![0-9A-Za-z-])/g;

/** @returns the text with every run of digits that holds a possible card number taken out, grouped ones too */
export function withoutNumbers(text: string): string {
  return text.replace(DIGIT_RUN, (found) =>
    holdsNumber(found.replaceAll('%20', '').replace(/\D/g, '')) ? '[redacted]' : found,
  );
}

/** @returns JSON whose texts hold no card number; numbers in it (times, amounts) stay as they are */
export function jsonWithoutNumbers(value: object): string {
  return JSON.stringify(value, (_key, inner) => (typeof inner === 'string' ? withoutNumbers(inner) : inner));
}

function holdsNumber(digits: string): boolean {
  return LENGTHS.some((length) =>
    Array.from({ length: Math.max(0, digits.length - length + 1) }, (_, start) =>
      digits.slice(start, start + length),
    ).some(hasLuhnDigit),
  );
}
