import { describe, expect, it } from 'vitest';
import type { ProviderCard } from '#src/payments/provider.ts';
import { cardColumns, normalizedBrand, providerCustomerKey, providerKey } from './provider-card.ts';

const nothing: ProviderCard = {
  paymentMethodId: 'pm_1',
  attachedTo: null,
  fingerprint: null,
  last4: null,
  brand: null,
  funding: null,
  addressCountry: null,
  addressZip: null,
  isApplePayCard: false,
  postalCodeCheck: null,
  expMonth: null,
  expYear: null,
};
const known: ProviderCard = {
  ...nothing,
  fingerprint: 'fingerprint',
  last4: '4242',
  brand: 'visa',
  funding: 'credit',
  addressCountry: 'US',
  addressZip: '94103',
  isApplePayCard: true,
  postalCodeCheck: 'pass',
  expMonth: 9,
  expYear: 2031,
};
const claimed = {
  last4: '0005',
  brand: 'American Express',
  funding: 'DEBIT',
  addressCountry: 'CA',
  addressZip: 'K1A 0B1',
  isApplePayCard: true,
  expMonth: '01',
  expYear: '2040',
};

describe('addCard: what is stored of a card', () => {
  it('comes from the provider where the provider knows it', () => {
    const { attachedTo, ...columns } = known;
    expect(cardColumns(known, claimed)).toEqual(columns);
    expect(cardColumns(known, {})).toEqual(columns);
  });

  it('comes from the request where the provider does not know it', () => {
    expect(cardColumns(nothing, claimed)).toEqual({
      paymentMethodId: 'pm_1',
      fingerprint: null,
      last4: '0005',
      brand: 'amex',
      funding: 'debit',
      addressCountry: 'CA',
      addressZip: 'K1A 0B1',
      // Only the provider knows a wallet.
      isApplePayCard: false,
      postalCodeCheck: null,
      expMonth: 1,
      expYear: 2040,
    });
  });

  it('is null, and the brand unknown, where neither knows it', () => {
    const { attachedTo, ...columns } = nothing;
    expect(cardColumns(nothing, {})).toEqual({ ...columns, brand: 'unknown' });
  });

  it.each([
    ['31', 2031],
    ['99', 2099],
    ['00', 2000],
    ['1999', 1999],
  ])('takes the year %s for %i', (expYear, year) => {
    expect(cardColumns(nothing, { expYear }).expYear).toBe(year);
  });

  it.each([
    ['American Express', 'amex'],
    ['amex', 'amex'],
    ['Diners Club', 'diners'],
    ['diners', 'diners'],
    ['MasterCard', 'mastercard'],
    ['UnionPay', 'unionpay'],
    ['JCB', 'jcb'],
    ['discover', 'discover'],
    ['a new network', 'unknown'],
    ['', 'unknown'],
    [null, 'unknown'],
    [undefined, 'unknown'],
  ])('calls the brand %s %s', (brand, name) => {
    expect(normalizedBrand(brand)).toBe(name);
  });
});

describe('idempotency keys at the provider', () => {
  const card = { uuid: '7f0c5d1e-3d0f-4c39-9a43-3f1f5b1d7c11' };

  it.each(['pm', 'si', 'det'] as const)('are the same for every retry of the step %s', (step) => {
    expect(providerKey(step, { ...card, attempt: 0 })).toBe(`${step}:${card.uuid}`);
    expect(providerKey(step, { ...card, attempt: 2 })).toBe(`${step}:${card.uuid}:2`);
  });

  it('differ for two databases that have a customer with the same ID', () => {
    const customer = { id: 7, createdAt: new Date(1_795_000_000_000) };
    expect(providerCustomerKey(customer, 0)).toBe('cus:7:1795000000000');
    expect(providerCustomerKey(customer, 1)).toBe('cus:7:1795000000000:1');
  });
});
