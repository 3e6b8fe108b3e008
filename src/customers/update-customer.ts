import { findCity } from '#src/cities/city-queries.ts';
import { DomainError } from '#src/errors.ts';
import type { Context } from '#src/verb-context.ts';
import { checkCustomerFields } from './customer-fields.ts';
import { type CustomerChanges, updateCustomer as write } from './customer-queries.ts';

export type UpdateCustomerInput = Omit<CustomerChanges, 'status'> & { username: string };

/**
 * @returns whether anything was other than before
 * @throws DomainError invalid_input, not_found (the customer or the city)
 */
export async function updateCustomer(
  ctx: Context,
  input: UpdateCustomerInput,
): Promise<{ hasChanged: boolean }> {
  const { username, ...changes } = input;
  checkCustomerFields(changes);
  return { hasChanged: await changeCustomer(ctx, 'customer.updated', username, changes) };
}

/** @throws DomainError not_found */
export async function changeCustomer(
  ctx: Context,
  action: string,
  username: string,
  changes: CustomerChanges,
): Promise<boolean> {
  const known = changes.citySlug === undefined || (await isCity(ctx, changes.citySlug));
  if (!known) throw new DomainError('not_found', 'There is no city of that slug. See: operator city list');
  const outcome = await write(ctx.db, ctx.actor, action, username, changes);
  if (!outcome.isKnown) throw new DomainError('not_found', 'There is no customer of that username.');
  return outcome.hasChanged;
}

async function isCity(ctx: Context, slug: string): Promise<boolean> {
  return (await findCity(ctx.db, slug)) !== undefined;
}
