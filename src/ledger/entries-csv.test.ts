import { expect, it } from 'vitest';
import { entriesCsv, entriesCsvHead, type LedgerEntry } from './entry.ts';

const entry: LedgerEntry = {
  id: 1,
  kind: 'credit',
  amountCents: -1_250n,
  takesEffectAt: new Date('2026-11-01T06:59:59.999Z'),
  description: 'Damaged, "fragile" parcel',
  reference: 'CR-1',
  reverses: null,
  reversedBy: null,
};

it('transactions as CSV: one line each, in the time of the zone, with a signed amount', () => {
  expect(entriesCsvHead).toBe('takes_effect_at,kind,amount,description,reference,reverses\r\n');
  const reversal = { ...entry, amountCents: 1_250n, reference: 'reversal:CR-1', reverses: 'CR-1' };
  expect(entriesCsv([entry, reversal], 'America/Los_Angeles')).toBe(
    '2026-10-31T23:59:59-07:00,credit,-12.50,"Damaged, ""fragile"" parcel",CR-1,\r\n' +
      '2026-10-31T23:59:59-07:00,credit,12.50,"Damaged, ""fragile"" parcel",reversal:CR-1,CR-1\r\n',
  );
  expect(entriesCsv([], 'UTC')).toBe('');
});

it.each(['description', 'reference', 'reverses'])('transactions as CSV: no %s is a formula', (column) => {
  expect(entriesCsv([{ ...entry, description: '', [column]: '=1+1' }], 'UTC')).toContain("'=1+1");
});
