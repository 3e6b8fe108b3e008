import { type PaymentMode, SettingsError } from '#src/settings.ts';
import type { Database } from './client.ts';
import { paymentMode } from './schema.ts';

const names: Record<PaymentMode, string> = {
  live: 'live Stripe keys',
  test: 'Stripe test keys',
  sandbox: 'the payment sandbox',
};

/** @returns undefined if the service has not started on the database yet */
export async function findPaymentMode(db: Database): Promise<PaymentMode | undefined> {
  const [row] = await db.select().from(paymentMode);
  return row?.mode;
}

/**
 * The first start decides which mode a database is for, so that cards of one mode are not looked up, and removed, with
 * keys of another. Of instances that start together with different modes, one continues.
 * @throws SettingsError when the database is for another mode
 */
export async function claimPaymentMode(db: Database, mode: PaymentMode): Promise<void> {
  await db.insert(paymentMode).values({ mode }).onConflictDoNothing();
  refuseOtherMode(await findPaymentMode(db), mode);
}

/** @throws SettingsError */
export function refuseOtherMode(stored: PaymentMode | undefined, mode: PaymentMode): void {
  if (stored === undefined || stored === mode) return;
  throw new SettingsError(
    `This database is for ${names[stored]}, so it cannot be used with ${names[mode]}. ` +
      `Use a new database (DATABASE_URL, or DATA_DIR for the embedded one), or go back to ${names[stored]}.`,
  );
}
