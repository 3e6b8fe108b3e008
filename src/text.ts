/** Text: what can be stored, and how it is capitalized or escaped for terminals, JSON on a terminal, CSV, and XML. */

/** Control and format characters, line and paragraph separators, and lone surrogates. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** @returns the text with each such character as its code point, `\u{202e}` */
export function escapeControlChars(text: string): string {
  return text.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/** @returns JSON that is safe to print and still parses to the same value: such characters become `\u` escapes */
export function safeJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, undefined, indent).replace(unsafe, (character) =>
    character === '\n' ? character : character.split('').map(utf16Escape).join(''),
  );
}

/** @returns an entered key or secret without spaces and characters that cannot be seen, which come with pasted text */
export function readCredential(entered: unknown): string {
  return typeof entered === 'string' ? entered.replace(/[\s\p{Cc}\p{Cf}]/gu, '') : '';
}

/**
 * @returns a CSV cell that no spreadsheet takes for a formula. `escape_formulas` of csv-stringify 6.9 would not do: it lets ` =1`,
 *   `"=1`, `|cmd`, and `%x` through.
 */
export function escapeCsvCell(text: string): string {
  const escaped = escapeControlChars(text);
  const safe = /^[\s'"]*[=+\-@|%\uff0b\uff0d\uff1d\uff20]/.test(escaped) ? `'${escaped}` : escaped;
  return /[",;\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function utf16Escape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** @returns the text with its first letter in upper case */
export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** @returns the text as the content of an XML element */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * @returns why the text cannot be stored unchanged, or undefined
 */
export function textProblem(text: string, lengthMax: number): string | undefined {
  if (text.includes('\0')) return 'Contains a NUL character. Remove it.';
  if (!text.isWellFormed()) return 'Contains an incomplete character (a lone surrogate). Save it as UTF-8.';
  if (text.length > lengthMax) return `Must have at most ${lengthMax} characters.`;
  return undefined;
}
