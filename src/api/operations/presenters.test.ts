import { describe, expect, it } from 'vitest';
import type { Card } from '#src/cards/card.ts';
import type { City } from '#src/cities/city.ts';
import type { Customer } from '#src/customers/get-customer.ts';
import { payoutOf } from '#src/ledger/monthly-balances.ts';
import { presentCard } from '../schemas.ts';
import { presentCustomer } from './get-customer.ts';
import { presentPayout } from './get-payout.ts';

const card: Card = {
  id: 31,
  uuid: '7f0c5d1e-3d0f-4c39-9a43-3f1f5b1d7c11',
  last4: '4242',
  brand: 'amex',
  funding: 'debit',
  addressCountry: 'CA',
  addressZip: 'K1A 0B1',
  isApplePayCard: true,
  postalCodeCheck: 'fail',
  expMonth: 9,
  expYear: 2031,
  isDefault: true,
  createdAt: new Date('2026-11-20T23:45:06.789Z'),
};

const city: City = {
  id: 5,
  name: 'San José',
  slug: 'san-jose',
  basePriceCents: 650,
  deliveryPrices: '{"items":[{"mile":13,"amount":12}]}',
  latitude: '37.5',
  longitude: '-121.25',
  countyName: 'Santa Clara County',
  timezone: 'America/Phoenix',
  isActive: false,
  isDischargeSingleRideActive: true,
  polygonPoints: '[[37.2,-122.2],[37.2,-121.2],[37.9,-121.2],[37.2,-122.2]]',
  returnRideLimitOnMile: 13,
  isFlatAppActive: true,
  isPlacesAppActive: false,
  isDeliveryAppActive: false,
  createdAt: new Date('2024-01-01T00:00:00Z'),
  updatedAt: new Date('2024-01-02T00:00:00Z'),
};

const customer: Customer = {
  id: 7,
  username: 'acme',
  email: 'orders@acme.example',
  status: 'Active',
  isEmailConfirmed: false,
  clientIp: '192.0.2.7',
  createdAt: new Date('2025-01-01T00:00:00Z'),
  updatedAt: new Date('2026-02-03T04:05:06Z'),
  erasedAt: null,
  apiKey: 'key_test_of_acme',
  firstName: 'Ada',
  lastName: 'Lee',
  name: 'Acme Bakery',
  countryCode: '44',
  phone: '20 7946 0958',
  roles: ['ROLE_CUSTOMER', 'ROLE_PILOT'],
  profileType: 'Personal',
  cityId: 5,
  providerCustomerId: 'cus_of_acme',
};

describe('presentCustomer', () => {
  it('shows every field of the customer, the city, and the cards', () => {
    expect(presentCustomer({ customer, city, cards: [card, { ...card, id: 32 }] })).toEqual({
      customer: {
        id: 7,
        username: 'acme',
        email: 'orders@acme.example',
        is_active: true,
        status: 'Active',
        is_email_confirmed: false,
        client_ip: '192.0.2.7',
        created_at: '2025-01-01T00:00:00+00:00',
        updated_at: '2026-02-03T04:05:06+00:00',
        api_key: 'key_test_of_acme',
        first_name: 'Ada',
        last_name: 'Lee',
        name: 'Acme Bakery',
        country_code: '44',
        phone: '20 7946 0958',
        roles: ['ROLE_CUSTOMER', 'ROLE_PILOT'],
        profile_type: 'Personal',
        cards: [presentCard(card), { ...presentCard(card), id: 32 }],
        city: {
          id: 5,
          name: 'San José',
          slug: 'san-jose',
          base_price: 6.5,
          delivery_prices: '{"items":[{"mile":13,"amount":12}]}',
          latitude: '37.5',
          longitude: '-121.25',
          county_name: 'Santa Clara County',
          timezone: 'America/Phoenix',
          is_active: false,
          is_discharge_single_ride_active: true,
          polygon_points: '[[37.2,-122.2],[37.2,-121.2],[37.9,-121.2],[37.2,-122.2]]',
          return_ride_limit_on_mile: 13,
          is_flat_app_active: true,
          is_places_app_active: false,
          is_delivery_app_active: false,
        },
      },
    });
  });

  const flags = {
    isActive: 'is_active',
    isDischargeSingleRideActive: 'is_discharge_single_ride_active',
    isFlatAppActive: 'is_flat_app_active',
    isPlacesAppActive: 'is_places_app_active',
    isDeliveryAppActive: 'is_delivery_app_active',
  } as const;
  it.each(Object.entries(flags))('takes each flag of the city from its own column: %s', (column, flag) => {
    const none = Object.fromEntries(Object.keys(flags).map((name) => [name, false]));
    const shown = presentCustomer({ customer, city: { ...city, ...none, [column]: true }, cards: [] });
    expect(Object.values(flags).filter((name) => shown.customer.city[name])).toEqual([flag]);
  });

  it.each(['Inactive', 'Suspended'] as const)('is_active is false for a customer who is %s', (status) => {
    const shown = presentCustomer({ customer: { ...customer, status }, city, cards: [] });
    expect(shown.customer).toMatchObject({ status, is_active: false });
  });
});

describe('presentCard', () => {
  it('shows every field of the API', () => {
    const { postalCodeCheck, ...shown } = card;
    expect(presentCard(card)).toEqual({
      ...shown,
      expMonth: '09',
      expYear: '2031',
      createdAt: '2026-11-20T23:45:06+00:00',
    });
  });

  it('shows what is not known as null, and an unknown brand as unknown', () => {
    const unknown = { last4: null, funding: null, addressCountry: null, addressZip: null };
    const expiry = { expMonth: null, expYear: null };
    expect(presentCard({ ...card, ...unknown, ...expiry, brand: null })).toMatchObject({
      ...unknown,
      ...expiry,
      brand: 'unknown',
    });
    expect(presentCard({ ...card, brand: 'a new network', expMonth: 12 })).toMatchObject({
      brand: 'unknown',
      expMonth: '12',
    });
  });
});

describe('presentPayout', () => {
  const payout = (cents: bigint) => presentPayout(payoutOf('2026-11-01', cents, 'America/Los_Angeles'));
  const period = {
    currency: 'USD',
    period_start: '2026-11-01T00:00:00-07:00',
    period_end: '2026-12-01T00:00:00-08:00',
    timezone: 'America/Los_Angeles',
  };

  it.each([
    ['a balance due', 128_450n, { amount: 1284.5, amount_cents: 128_450 }],
    ['a cent', 1n, { amount: 0.01, amount_cents: 1 }],
    ['nothing', 0n, { amount: 0, amount_cents: 0 }],
    ['a credit', -1_200n, { amount: 0, amount_cents: 0, credit_cents: 1_200 }],
    ['the maximum', 9_007_199_254_740_991n, { amount: 90_071_992_547_409.91, amount_cents: 2 ** 53 - 1 }],
  ])('%s', (_, cents, amounts) => {
    expect(payout(cents)).toEqual({ payout: { ...amounts, ...period } });
  });

  it.each([9_007_199_254_740_992n, -9_007_199_254_740_992n])(
    'throws for %d cents, which are inexact',
    (cents) => {
      expect(() => payout(cents)).toThrow(RangeError);
    },
  );
});
