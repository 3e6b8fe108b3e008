import type { CreateCustomerInput } from '#src/customers/create-customer.ts';

type Destination = { name: string; miles: number };

export type DemoCustomer = Omit<CreateCustomerInput, 'mode'> & {
  /** Days of the month on which deliveries may fall. */
  deliveryDays: number[];
  destinations: [Destination, ...Destination[]];
  /** Test tokens of the payment provider. */
  cards: { token: string; addressZip: string }[];
};

/** Fictional: phone numbers and domains are those reserved for examples (555-01xx, RFC 2606). */
export const demoCustomers: DemoCustomer[] = [
  {
    username: 'willow-street-bakery',
    email: 'owner@willow-street-bakery.example.com',
    firstName: 'Maya',
    lastName: 'Ferrell',
    name: 'Willow Street Bakery',
    countryCode: '1',
    phone: '408-555-0134',
    citySlug: 'san-jose',
    profileType: 'Business',
    isEmailConfirmed: true,
    deliveryDays: [2, 3, 5, 6, 9, 10, 12, 13, 16, 17, 19, 20, 23, 24, 26, 27, 28],
    destinations: [
      { name: 'Cannery Row Cafe', miles: 1.4 },
      { name: 'Alder Hotel', miles: 5.8 },
      { name: 'Mission Clinic', miles: 2.1 },
      { name: 'Bayview School', miles: 7.9 },
      { name: 'Orchard Office Park', miles: 3.7 },
      { name: 'Foothill Market', miles: 11.6 },
      { name: 'Garden Court', miles: 1.9 },
      { name: 'Summit Winery', miles: 16.2 },
    ],
    cards: [
      { token: 'tok_visa_debit', addressZip: '95112' },
      { token: 'tok_mastercard_debit', addressZip: '95112' },
    ],
  },
  {
    username: 'harbor-lane-flowers',
    email: 'hello@harbor-lane-flowers.example.com',
    firstName: 'Keola',
    lastName: 'Brandt',
    name: 'Harbor Lane Flowers',
    countryCode: '1',
    phone: '808-555-0187',
    citySlug: 'honolulu',
    profileType: 'Personal',
    isEmailConfirmed: false,
    deliveryDays: [1, 4, 8, 11, 14, 15, 18, 22, 25, 28],
    destinations: [
      { name: 'Palm Court', miles: 0.9 },
      { name: 'Lantern Hall', miles: 2.6 },
      { name: 'Reef House', miles: 4.8 },
      { name: 'Banyan Chapel', miles: 6.7 },
      { name: 'Tradewind Lodge', miles: 12.4 },
    ],
    cards: [{ token: 'tok_amex', addressZip: '96813' }],
  },
];
