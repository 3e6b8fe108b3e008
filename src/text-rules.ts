/**
 * @returns why the text cannot be stored unchanged, or undefined
 */
export function textProblem(text: string, lengthMax: number): string | undefined {
  if (text.includes('\0')) return 'Contains a NUL character. Remove it.';
  if (!text.isWellFormed()) return 'Contains an incomplete character (a lone surrogate). Save it as UTF-8.';
  if (text.length > lengthMax) return `Must have at most ${lengthMax} characters.`;
  return undefined;
}
