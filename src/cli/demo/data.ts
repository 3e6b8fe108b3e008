import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import type { CityFeature } from '#src/cities/read-geojson.ts';
import type { CreateCustomerInput } from '#src/customers/create-customer.ts';

const apps = {
  is_active: true,
  is_discharge_single_ride_active: true,
  is_flat_app_active: false,
  is_places_app_active: true,
  is_delivery_app_active: true,
};

const cities = [
  {
    county: '06085',
    properties: {
      slug: 'san-jose',
      name: 'San Jose',
      county_name: 'Santa Clara County',
      timezone: 'America/Los_Angeles',
      base_price: 6.5,
      delivery_prices: {
        items: [
          { mile: 2, amount: 0 },
          { mile: 4, amount: 2.25 },
          { mile: 6, amount: 4.5 },
          { mile: 9, amount: 7.75 },
          { mile: 13, amount: 12 },
          { mile: 20, amount: 19.5 },
        ],
      },
      latitude: '37.3382',
      longitude: '-121.8863',
      return_ride_limit_on_mile: 7.5,
      ...apps,
    },
  },
  {
    county: '15003',
    properties: {
      slug: 'honolulu',
      name: 'Honolulu',
      county_name: 'Honolulu County',
      timezone: 'Pacific/Honolulu',
      base_price: 7.25,
      delivery_prices: {
        items: [
          { mile: 1.5, amount: 0 },
          { mile: 3, amount: 2.5 },
          { mile: 5, amount: 5.25 },
          { mile: 8, amount: 9 },
          { mile: 14, amount: 15.75 },
        ],
      },
      latitude: '21.3069',
      longitude: '-157.8583',
      return_ride_limit_on_mile: 5,
      ...apps,
      is_places_app_active: false,
    },
  },
];

/** One city with daylight saving time and one without, in the format of an import file. */
export function demoCities(): CityFeature[] {
  const file = createRequire(import.meta.url).resolve('us-atlas/counties-10m.json');
  const atlas = JSON.parse(readFileSync(file, 'utf8')) as CountyAtlas;
  return cities.map(({ county, properties }) => ({ geometry: countyGeometry(atlas, county), properties }));
}

type CountyAtlas = Topology<{ counties: GeometryCollection<{ name: string }> }>;

/** @param id five-digit county code (FIPS) */
function countyGeometry(atlas: CountyAtlas, id: string): unknown {
  const geometries = atlas.objects.counties.geometries.filter((county) => county.id === id);
  return feature(atlas, { type: 'GeometryCollection', geometries }).features[0]?.geometry;
}

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
