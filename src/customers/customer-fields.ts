import { z } from 'zod';
import { customers } from '#db/schema.ts';
import { DomainError } from '#src/errors.ts';
import { escapeControlChars, textProblem } from '#src/text.ts';
import type { Customer } from './get-customer.ts';

/** A customer's details, as operators enter them. */
export type CustomerFields = Pick<
  Customer,
  'email' | 'firstName' | 'lastName' | 'name' | 'countryCode' | 'phone'
> &
  Partial<Pick<Customer, 'profileType' | 'isEmailConfirmed'>>;

const text = (lengthMax: number) =>
  z.string().superRefine((value, { addIssue }) => {
    const message = value.trim() === '' ? 'Must not be empty.' : textProblem(value, lengthMax);
    if (message) addIssue(message);
  });

const isEmail = (value: string) =>
  /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) && escapeControlChars(value) === value && value.length <= 254;

const rules = z
  .object({
    username: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/,
        'Use 1 to 64 letters, digits, or . _ @ + -, starting with a letter or digit.',
      ),
    email: z.string().refine(isEmail, 'Must be an email address.'),
    firstName: text(100),
    lastName: text(100),
    name: text(200),
    countryCode: z.string().regex(/^[1-9]\d{0,3}$/, 'Use one to four digits, without +.'),
    phone: z
      .string()
      .regex(/^[0-9 ().-]{3,30}$/, 'Use digits, spaces, and ( ) . -, without the country code.'),
    profileType: z.enum(customers.profileType.enumValues, 'Must be Business or Personal.'),
  })
  .partial();

/** @throws DomainError invalid_input that names every invalid field */
export function checkCustomerFields(fields: object): void {
  const details = rules
    .safeParse(fields)
    .error?.issues.map(({ path, message }) => ({ param: path.join('.'), message }));
  if (details)
    throw new DomainError('invalid_input', 'The customer is invalid, so nothing was saved.', details);
}
