import type { Database } from '#db/client.ts';
import { DomainError } from '#src/errors.ts';
import { findCustomer, findCustomers, findLiveSecrets } from './customer-queries.ts';

/** @throws DomainError not_found */
export async function requireCustomer(db: Database, username: string) {
  const found = await findCustomer(db, username);
  if (!found) throw new DomainError('not_found', 'There is no customer of that username.');
  return found;
}

/**
 * A customer with the city and the secrets that are valid now (when made, last used and ending; never a secret).
 * @throws DomainError not_found
 */
export async function showCustomer(db: Database, username: string) {
  const found = await requireCustomer(db, username);
  return { ...found, secrets: await findLiveSecrets(db, found.customer.id) };
}

/** @returns customers by username, at most `most` of them, from the one after `after` */
export async function listCustomers(db: Database, options: { after?: string; most: number }) {
  return findCustomers(db, options.after ?? '', options.most);
}
