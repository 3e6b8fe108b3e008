/**
 * @returns why the text cannot be stored unchanged, or undefined
 */
export function textProblem(text: string, lengthMax: number): string | undefined {
  if (text.includes('\0')) return 'It holds a NUL character, which cannot be stored.';
  if (!text.isWellFormed()) return 'It holds half of a character (a lone surrogate): save it as UTF-8.';
  if (text.length > lengthMax) return `It is longer than ${lengthMax} characters.`;
  return undefined;
}
