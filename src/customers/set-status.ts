import type { Context } from '#src/verb-context.ts';
import type { Customer } from './customer.ts';
import { changeCustomer } from './update-customer.ts';

const actions = {
  Active: 'customer.activated',
  Inactive: 'customer.deactivated',
  Suspended: 'customer.suspended',
} as const;

/**
 * Only an `Active` customer can use the API or the dashboard; a change holds from the next request on.
 * @returns whether the status was another before
 * @throws DomainError not_found
 */
export async function setStatus(
  ctx: Context,
  input: { username: string; status: Customer['status'] },
): Promise<{ hasChanged: boolean }> {
  const { username, status } = input;
  return { hasChanged: await changeCustomer(ctx, actions[status], username, { status }) };
}
