import { expect, it } from 'vitest';
import { DomainError } from '#src/errors.ts';
import { checkCustomerFields } from './customer-fields.ts';

const x = (length: number) => 'x'.repeat(length);
const email = (length: number) => `${x(length - 12)}@example.com`;

function refusedBy(fields: object): string[] {
  try {
    checkCustomerFields({ ...fields });
    return [];
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'invalid_input') throw error;
    expect(error.message).toBe('The customer is invalid, so nothing was saved.');
    expect(error.details).not.toEqual([]);
    return error.details.map(({ param, message }) =>
      message.endsWith('.') ? param : `${param} without a reason`,
    );
  }
}

it.each([
  ['username', ['a', '7', 'Ada.Lee_9@acme+x-y', x(64)], ['', '.a', '-a', ' a', 'a b', 'é', x(65), 'a\n']],
  [
    'email',
    ['a@b.c', 'ada+1@mail.acme.example', email(254)],
    ['', 'ada', 'ada@acme', '@b.c', 'a@.c ', 'a b@c.d', 'a@b.c d', 'a@b@c.d', 'a\u202e@b.c', email(255)],
  ],
  ['firstName', ['A', '日本', x(100)], ['', ' ', 'a\0', '\ud800', x(101)]],
  ['lastName', ['A', 'Ó Briain', x(100)], ['', '\t', 'a\0', '\ud800', x(101)]],
  ['name', ['A', 'Acme & Sons', x(200)], ['', '  ', 'a\0', '\ud800', x(201)]],
  ['countryCode', ['1', '44', '1684'], ['', '0', '01', '+1', '12345', 'US', '1\n']],
  [
    'phone',
    ['555', '(415) 555-0142', '20.7946.0958', '1'.repeat(30)],
    ['', '55', '+1 555', '555x', '1'.repeat(31)],
  ],
  ['profileType', ['Business', 'Personal'], ['', 'business', 'Businesses', 'Other']],
])('customer: %s', (field, valid, invalid) => {
  for (const value of valid) expect([value, refusedBy({ [field]: value })]).toEqual([value, []]);
  for (const value of invalid) expect([value, refusedBy({ [field]: value })]).toEqual([value, [field]]);
});

it('customer: names every invalid field, and leaves out the ones that are not given', () => {
  expect(refusedBy({ username: '', phone: '', name: undefined })).toEqual(['username', 'phone']);
});
