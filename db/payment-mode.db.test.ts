import { beforeEach, describe, expect, it } from 'vitest';
import { testDatabase } from '#tools/testing/database.ts';
import { claimPaymentMode, findPaymentMode } from './payment-mode.ts';

const { web: db, sql } = await testDatabase();
const modes = ['sandbox', 'test', 'live'] as const;

describe('claimPaymentMode', () => {
  beforeEach(async () => {
    await sql`delete from payment_mode`;
  });

  it('accepts the mode of the first start again, and refuses every other', async () => {
    for (const other of ['test', 'live'] as const) {
      await claimPaymentMode(db, 'sandbox');
      await claimPaymentMode(db, 'sandbox');
      await expect(claimPaymentMode(db, other)).rejects.toThrow(
        /^This database is for the payment sandbox, so it cannot be used with .*Use a new database/,
      );
    }
    expect(await findPaymentMode(db)).toBe('sandbox');
  });

  it('refuses test keys for a database with live cards', async () => {
    await claimPaymentMode(db, 'live');
    await expect(claimPaymentMode(db, 'test')).rejects.toThrow('This database is for live Stripe keys');
  });

  it('lets instances of one mode continue when several start together', async () => {
    const claims = Array.from({ length: 30 }, (_, index) => modes[index % 3] ?? 'test');
    const outcomes = await Promise.allSettled(claims.map((mode) => claimPaymentMode(db, mode)));
    const accepted = claims.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    expect(accepted).toHaveLength(10);
    expect(new Set(accepted)).toEqual(new Set([await findPaymentMode(db)]));
  });
});
