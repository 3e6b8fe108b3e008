import type { FieldReading } from './reading.ts';

const digitsBefore = (text: string, caret: number) => text.slice(0, caret).replace(/\D/g, '').length;

/**
 * Rewrites an input in its grouped form after the person changed it, and keeps the caret behind the same digit.
 * @param earlier what the field held before
 * @param isBackspace deleting a separator deletes the digit before it, or the person could never get past it
 */
export function placeCaret(
  input: HTMLInputElement,
  earlier: FieldReading,
  read: (raw: string) => FieldReading,
  isBackspace: boolean,
): void {
  const caret = input.selectionStart ?? input.value.length;
  const wasAtEnd = caret === input.value.length;
  let before = digitsBefore(input.value, caret);
  let raw = input.value;
  if (isBackspace && before > 0 && raw.replace(/\D/g, '') === earlier.digits) {
    before -= 1;
    raw = earlier.digits.slice(0, before) + earlier.digits.slice(before + 1);
  }
  const { text } = read(raw);
  // "12" and "12 / " have the same digits: after a deletion the shorter of the two is meant.
  input.value = isBackspace ? text.replace(/\D+$/, '') : text;
  let position = 0;
  while (position < input.value.length && digitsBefore(input.value, position) < before) position += 1;
  if (wasAtEnd) position = input.value.length;
  input.setSelectionRange(position, position);
}
