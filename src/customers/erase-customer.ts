import { setTimeout } from 'node:timers/promises';
import { and, eq, inArray, isNotNull, or, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { isConflict, isLockTimeout } from '#db/errors.ts';
import {
  apiRequests,
  auditPersonal,
  cards,
  customers,
  idempotencyKeys,
  ledgerMonths,
  secrets,
  securityEvents,
  sessions,
} from '#db/schema.ts';
import { auditInsert, type Context } from '#src/audit.ts';
import { DomainError } from '#src/errors.ts';
import { type CardProvider, isKeyRejected, ProviderError } from '#src/payments/provider.ts';
import { getCustomerByUsername } from './get-customer.ts';

/** `:` is not allowed in usernames. */
const nameOfErased = (id: number) => `erased:${id}`;

/** Where requests add personal data, besides `customers`. */
const personalTables = [
  cards,
  sessions,
  idempotencyKeys,
  apiRequests,
  securityEvents,
  auditPersonal,
] as const;

/**
 * Erases a customer's personal data, and ends its access. The ledger and the audit stay, and refer to the customer by ID.
 * `finishErasures` deletes the provider's customer. Repeated while an import of the customer's charges runs, which must not wait
 * for it.
 * @throws DomainError not_found, or refused when the import takes longer than about a minute
 */
export async function eraseCustomer(
  ctx: Context,
  username: string,
  { attemptsMax = 40 } = {},
): Promise<Erased> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await eraseAtOnce(ctx, username);
    } catch (error) {
      if (!isLockTimeout(error) && !isConflict(error)) throw error;
      if (attempt === attemptsMax)
        throw new DomainError(
          'refused',
          'An import is adding charges for this customer. Try again after it ends.',
        );
      await setTimeout(retryMs);
    }
  }
}

const retryMs = 1_000;

type Erased = { id: number; username: string; balanceCents: bigint };

async function eraseAtOnce({ db, actor }: Context, username: string): Promise<Erased> {
  const { customer } = await getCustomerByUsername(db, username);
  const { id } = customer;
  return db.transaction(async (tx) => {
    const isCustomer = eq(customers.id, id);
    // Another operator can have erased it since it was found.
    const { erasedAt } = customers;
    const [before] = await tx.select({ erasedAt }).from(customers).where(isCustomer).for('no key update');
    const erased = {
      ...{ email: '', phone: '', countryCode: '', firstName: '', lastName: '', name: '' },
      ...{ clientIp: '127.0.0.1', status: 'Inactive' as const },
      ...{ isEmailConfirmed: false, erasedAt: sql`now()` },
    };
    await tx.update(customers).set(erased).where(isCustomer);
    await deletePersonalRows(tx, [id]);
    // After the sessions that refer to them.
    await tx.delete(secrets).where(eq(secrets.customerId, id));
    // Less than the second after which PostgreSQL ends one of two transactions that wait for each other.
    await tx.execute(sql`set local lock_timeout = '500ms'`);
    // Last: a change of unique columns blocks foreign key checks, which removals of cards make while they hold the card.
    await tx
      .update(customers)
      .set({ username: nameOfErased(id), apiKey: nameOfErased(id) })
      .where(isCustomer);
    if (!before?.erasedAt) {
      await tx.execute(
        auditInsert({
          actor,
          action: 'customer.erased',
          customerId: sql`${id}::bigint`,
          from: sql`(select 1) once`,
        }),
      );
    }
    const balance = sql<string>`coalesce(sum(${ledgerMonths.amountCents}), 0)`;
    const [sum] = await tx.select({ balance }).from(ledgerMonths).where(eq(ledgerMonths.customerId, id));
    return { id, username: nameOfErased(id), balanceCents: BigInt(sum?.balance ?? 0) };
  });
}

type FinishOptions = {
  /** Only this customer. */
  customerId?: number;
  /** For a customer that the provider could not delete; by default, the failure is thrown. */
  onFailure?: (customerId: number, error: ProviderError) => void;
};

/**
 * Deletes the provider's customers of erased ones, and what requests that were in flight during the erasure have added.
 * Safe to repeat, and on several instances.
 * @returns how many were deleted
 * @throws ProviderError when the provider rejects our API key
 */
export async function finishErasures(
  { db, provider }: { db: Database; provider: CardProvider },
  { customerId, onFailure }: FinishOptions = {},
): Promise<number> {
  const erased = await db
    .select({
      id: customers.id,
      createdAt: customers.createdAt,
      providerCustomerId: customers.providerCustomerId,
    })
    .from(customers)
    .where(
      and(
        isNotNull(customers.erasedAt),
        customerId === undefined ? undefined : eq(customers.id, customerId),
        or(isNotNull(customers.providerCustomerId), sql`erased_at > now() - interval '1 day'`),
      ),
    );
  if (erased.length === 0) return 0;
  await deletePersonalRows(
    db,
    erased.map(({ id }) => id),
  );
  let deleted = 0;
  for (const { id, createdAt, providerCustomerId } of erased) {
    try {
      if (providerCustomerId) {
        await provider.deleteCustomer(providerCustomerId);
        await db
          .update(customers)
          .set({ providerCustomerId: null })
          .where(and(eq(customers.id, id), eq(customers.providerCustomerId, providerCustomerId)));
        deleted += 1;
      }
      // Its ID is unknown if the response to its creation was lost.
      for (const found of await provider.findCustomers({ customerId: id, createdAt })) {
        await provider.deleteCustomer(found);
        deleted += 1;
      }
    } catch (error) {
      if (!onFailure || !(error instanceof ProviderError) || isKeyRejected(error)) throw error;
      onFailure(id, error);
    }
  }
  return deleted;
}

async function deletePersonalRows(db: Pick<Database, 'delete'>, customerIds: number[]): Promise<void> {
  for (const table of personalTables) await db.delete(table).where(inArray(table.customerId, customerIds));
}
