import { type Detail, DomainError } from '#src/errors.ts';
import { escapeControlChars } from '#src/escape.ts';
import { textProblem } from '#src/text-rules.ts';

const usernamePattern = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;

type Rule = (value: string) => string | undefined;
const text =
  (lengthMax: number): Rule =>
  (value) =>
    value.trim() === '' ? 'It is empty.' : textProblem(value, lengthMax);
const identifier =
  (pattern: RegExp, sentence: string): Rule =>
  (value) =>
    pattern.test(value) ? undefined : sentence;

const rules: Record<string, Rule> = {
  username: identifier(
    usernamePattern,
    'A username is 1 to 64 letters, digits or . _ @ + -, and starts with a letter or digit.',
  ),
  email: (value) =>
    /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) && escapeControlChars(value) === value && value.length <= 254
      ? undefined
      : 'It is not an email address.',
  firstName: text(100),
  lastName: text(100),
  name: text(200),
  countryCode: identifier(/^[1-9]\d{0,3}$/, 'A country code is one to four digits, without +.'),
  phone: identifier(
    /^[0-9 ().-]{3,30}$/,
    'A phone number is digits, spaces and ( ) . -, without the country code.',
  ),
  profileType: identifier(/^(Business|Personal)$/, 'It is either Business or Personal.'),
};

/** @throws DomainError invalid_input that names every invalid field */
export function checkCustomerFields(fields: Record<string, unknown>): void {
  const details: Detail[] = Object.entries(rules).flatMap(([param, rule]) => {
    const value = fields[param];
    const message = typeof value === 'string' ? rule(value) : undefined;
    return message ? [{ param, message }] : [];
  });
  if (details.length > 0)
    throw new DomainError('invalid_input', 'The customer cannot be saved like this.', details);
}
