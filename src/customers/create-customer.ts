import { DomainError } from '#src/errors.ts';
import { type Mode, newToken, tokenHash } from '#src/tokens.ts';
import type { Context } from '#src/verb-context.ts';
import { checkCustomerFields } from './customer-fields.ts';
import { insertCustomer, type NewCustomer } from './customer-queries.ts';

export type CreateCustomerInput = Pick<
  NewCustomer,
  'username' | 'email' | 'firstName' | 'lastName' | 'name' | 'countryCode' | 'phone' | 'citySlug'
> &
  Partial<Pick<NewCustomer, 'profileType' | 'isEmailConfirmed'>> & {
    /** Named in the key and the secret. */
    mode: Mode;
  };

/** What a customer needs to call the API. The secret is nowhere else: it cannot be shown again. */
export type Credentials = { id: number; username: string; apiKey: string; apiSecret: string };

/** @throws DomainError invalid_input, already_exists (the username), not_found (the city) */
export async function createCustomer(ctx: Context, input: CreateCustomerInput): Promise<Credentials> {
  checkCustomerFields(input);
  const apiKey = newToken('key', input.mode);
  const apiSecret = newToken('secret', input.mode);
  const id = await insertCustomer(ctx.db, ctx.actor, {
    ...input,
    profileType: input.profileType ?? 'Business',
    isEmailConfirmed: input.isEmailConfirmed ?? false,
    apiKey,
    secretHash: tokenHash(apiSecret),
  });
  if (id === undefined)
    throw new DomainError('not_found', 'There is no city of that slug. See: operator city list');
  if (id === null) throw new DomainError('already_exists', 'There is a customer of that username already.');
  return { id, username: input.username, apiKey, apiSecret };
}
