import type { CreateCustomerInput } from '#domain/customers/create-customer.ts';

export type DemoCustomer = Omit<CreateCustomerInput, 'mode'> & {
  /** Days of each month with a delivery, and each one's miles, taken in turn. */
  deliveryDays: number[];
  miles: number[];
  places: string[];
  /** The provider's test tokens. */
  cards: { token: string; addressZip: string }[];
};

/** Nobody: the names are made up, the numbers and addresses are those reserved for examples. */
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
    miles: [1.4, 3.2, 5.8, 2.1, 7.9, 3.7, 11.6, 1.9, 4.4, 8.3, 2.8, 16.2],
    places: ['Orchard Office Park', 'Cannery Row Cafe', 'Alder Hotel', 'Bayview School', 'Mission Clinic'],
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
    miles: [0.9, 2.6, 4.8, 1.3, 6.7, 2.2, 12.4, 3.9],
    places: ['Palm Court', 'Lantern Hall', 'Reef House', 'Banyan Chapel'],
    cards: [{ token: 'tok_amex', addressZip: '96813' }],
  },
];
