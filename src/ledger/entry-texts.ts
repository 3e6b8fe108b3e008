import { type Detail, DomainError } from '#src/errors.ts';
import { escapeControlChars } from '#src/escape.ts';
import { textProblem } from '#src/text-rules.ts';
import { longestDescription, longestReference } from './entry.ts';

/** References are typed again to reverse an entry, so they hold only what one can see. */
export function referenceProblem(reference: string): string | undefined {
  if (reference.trim() === '') return 'It is empty.';
  if (escapeControlChars(reference) !== reference) return 'It holds characters that cannot be seen or typed.';
  return textProblem(reference, longestReference);
}

export function descriptionProblem(description: string): string | undefined {
  return textProblem(description, longestDescription);
}

/** @throws DomainError invalid_input */
export function checkEntryTexts(entry: { description: string; reference: string }): void {
  const reference = referenceProblem(entry.reference);
  const description = descriptionProblem(entry.description);
  const details: Detail[] = [];
  if (reference) details.push({ param: 'reference', message: reference });
  if (description) details.push({ param: 'description', message: description });
  if (details.length > 0)
    throw new DomainError('invalid_input', 'The entry cannot be added like this.', details);
}
