import { z } from 'zod';
import { customers } from '#db/schema.ts';
import type { City } from '#src/cities/city.ts';
import type { CustomerRecord } from '#src/customers/get-customer.ts';
import { formatInstant } from '#src/instant.ts';
import { defineOperation } from '../operation.ts';
import { cardSchema, presentCard, timestampSchema } from '../schemas.ts';
import recorded from './recorded.json' with { type: 'json' };

const citySchema = z
  .object({
    id: z.int().positive().describe('The city’s ID.'),
    name: z.string().describe('The display name.'),
    slug: z.string().describe('A unique short name for use in programs.'),
    base_price: z.number().describe('The price of a delivery before the charge for distance, in US dollars.'),
    delivery_prices: z
      .string()
      .describe(
        'A JSON document in a string: `{"items":[{"mile":number,"amount":number},…]}`. A delivery costs `base_price` plus the `amount` (US dollars) of the first item whose `mile` is at least the distance in miles.',
      ),
    latitude: z.string().describe('The latitude of the center, in decimal degrees.'),
    longitude: z.string().describe('The longitude of the center, in decimal degrees.'),
    county_name: z.string().describe('The county of the city.'),
    timezone: z.string().meta({
      description: 'The IANA name of the city’s time zone, which determines when a month starts and ends.',
      examples: ['America/Los_Angeles'],
    }),
    is_active: z.boolean().describe('Whether deliveries are available in this city.'),
    is_discharge_single_ride_active: z
      .boolean()
      .describe('Whether discharging of single rides is enabled in this city.'),
    polygon_points: z
      .string()
      .describe(
        'The service area as a JSON document in a string: `[[latitude,longitude],…]` in decimal degrees. The last pair repeats the first.',
      ),
    return_ride_limit_on_mile: z.number().describe('The maximum distance of a return ride, in miles.'),
    is_flat_app_active: z.boolean().describe('Whether the flat app is enabled in this city.'),
    is_places_app_active: z.boolean().describe('Whether the places app is enabled in this city.'),
    is_delivery_app_active: z.boolean().describe('Whether the delivery app is enabled in this city.'),
  })
  .meta({
    id: 'City',
    description: 'The city that the customer’s deliveries are in, with its prices and service area.',
  });

const customerSchema = z
  .object({
    id: z.int().positive().describe('The customer’s ID.'),
    username: z.string().describe('The unique name of the account.'),
    email: z.string().describe('The email address of the account.'),
    is_active: z.boolean().describe('True only while `status` is `Active`, so always true in a response.'),
    status: z
      .enum(customers.status.enumValues)
      .describe('The status of the account. Only active accounts can call the API.'),
    is_email_confirmed: z.boolean().describe('Whether the email address was confirmed.'),
    client_ip: z
      .string()
      .describe('The IP address of the last browser sign-in, or `127.0.0.1` if there was none.'),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    api_key: z.string().describe('The API key for `X-AUTH-APIKEY`. The secret is not included.'),
    first_name: z.string().describe('The first name of the account holder.'),
    last_name: z.string().describe('The last name of the account holder.'),
    name: z.string().describe('The business name or display name.'),
    country_code: z.string().regex(/^\d+$/).describe('The country code of the phone number, digits only.'),
    phone: z.string().describe('The phone number, as it was provided.'),
    roles: z.array(z.string()).describe('Contains `ROLE_CUSTOMER`.'),
    profile_type: z.enum(customers.profileType.enumValues).describe('The type of customer.'),
    cards: z.array(cardSchema).describe('The cards on file.'),
    city: citySchema,
  })
  .meta({ id: 'Customer', description: 'The customer that the API key belongs to.' });

const customerResponseSchema = z.object({ customer: customerSchema }).meta({ id: 'CustomerResponse' });

type CityObject = z.infer<typeof citySchema>;
export type CustomerResponse = z.infer<typeof customerResponseSchema>;

export const getCustomer = defineOperation({
  id: 'getCustomer',
  method: 'GET',
  path: '/schedule/v1/customers/detail',
  summary: 'Get the customer',
  description: 'Gets your account with its city and its cards on file.',
  tag: 'Customer',
  reads: 'record',
  response: {
    status: 200,
    description: 'Your account.',
    schema: customerResponseSchema,
    examples: { customer: { summary: 'A customer with a card', value: recorded.getCustomer } },
  },
  docs: { slug: 'get-the-customer' },
  run: async ({ principal }) => presentCustomer(principal.record),
});

export function presentCustomer({ customer, city, cards }: CustomerRecord): CustomerResponse {
  return {
    customer: {
      id: customer.id,
      username: customer.username,
      email: customer.email,
      is_active: customer.status === 'Active',
      status: customer.status,
      is_email_confirmed: customer.isEmailConfirmed,
      client_ip: customer.clientIp,
      created_at: formatInstant(customer.createdAt),
      updated_at: formatInstant(customer.updatedAt),
      api_key: customer.apiKey,
      first_name: customer.firstName,
      last_name: customer.lastName,
      name: customer.name,
      country_code: customer.countryCode,
      phone: customer.phone,
      roles: customer.roles,
      profile_type: customer.profileType,
      cards: cards.map(presentCard),
      city: presentCity(city),
    },
  };
}

function presentCity(city: City): CityObject {
  return {
    id: city.id,
    name: city.name,
    slug: city.slug,
    base_price: city.basePriceCents / 100,
    delivery_prices: city.deliveryPrices,
    latitude: city.latitude,
    longitude: city.longitude,
    county_name: city.countyName,
    timezone: city.timezone,
    is_active: city.isActive,
    is_discharge_single_ride_active: city.isDischargeSingleRideActive,
    polygon_points: city.polygonPoints,
    return_ride_limit_on_mile: city.returnRideLimitOnMile,
    is_flat_app_active: city.isFlatAppActive,
    is_places_app_active: city.isPlacesAppActive,
    is_delivery_app_active: city.isDeliveryAppActive,
  };
}
