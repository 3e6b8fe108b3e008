import { z } from 'zod';
import type { City } from '#src/cities/city.ts';
import type { CustomerRecord } from '#src/customers/customer.ts';
import { cardSchema, presentCard } from './card.ts';
import { presentTimestamp, timestampSchema } from './timestamp.ts';

export const citySchema = z
  .object({
    id: z.int().positive().meta({ description: 'Identifier of the city.' }),
    name: z.string().meta({ description: 'Display name.' }),
    slug: z.string().meta({ description: 'Short name, unique, for programs.' }),
    base_price: z
      .number()
      .meta({ description: 'Price of a delivery before its distance counts, in US dollars.' }),
    delivery_prices: z.string().meta({
      description:
        'A JSON document in a string: `{"items":[{"mile":number,"amount":number},…]}`. A delivery costs `base_price` plus the `amount` of the first item whose `mile` is at least the distance: miles and US dollars.',
    }),
    latitude: z.string().meta({ description: 'Of the center, in decimal degrees.' }),
    longitude: z.string().meta({ description: 'Of the center, in decimal degrees.' }),
    county_name: z.string().meta({ description: 'The county it is in.' }),
    timezone: z.string().meta({
      description: 'IANA name of the zone that months are counted in.',
      examples: ['America/Los_Angeles'],
    }),
    is_active: z.boolean().meta({ description: 'Whether deliveries are offered in this city.' }),
    is_discharge_single_ride_active: z
      .boolean()
      .meta({ description: 'Whether the operator has switched discharging of single rides on here.' }),
    polygon_points: z.string().meta({
      description:
        'A JSON document in a string: `[[latitude,longitude],…]`, the last pair repeating the first, in decimal degrees: the area that is served.',
    }),
    return_ride_limit_on_mile: z.number().meta({ description: 'How far a return ride may be, in miles.' }),
    is_flat_app_active: z
      .boolean()
      .meta({ description: 'Whether the operator has switched the flat app on here.' }),
    is_places_app_active: z
      .boolean()
      .meta({ description: 'Whether the operator has switched the places app on here.' }),
    is_delivery_app_active: z
      .boolean()
      .meta({ description: 'Whether the operator has switched the delivery app on here.' }),
  })
  .meta({ id: 'City', description: 'Where the customer’s deliveries go, and at which price.' });

export const customerSchema = z
  .object({
    id: z.int().positive().meta({ description: 'Identifier of the customer.' }),
    username: z.string().meta({ description: 'Name of the account, unique.' }),
    email: z.string().meta({ description: 'Where the operator writes to.' }),
    is_active: z.boolean().meta({ description: 'True only while `status` is `Active`.' }),
    status: z.enum(['Active', 'Inactive', 'Suspended']).meta({ description: 'Set by the operator.' }),
    is_email_confirmed: z.boolean().meta({ description: 'Whether the e-mail address was confirmed.' }),
    client_ip: z
      .string()
      .meta({ description: 'Address of the last browser sign-in; `127.0.0.1` before any.' }),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    api_key: z.string().meta({ description: 'The key of `X-AUTH-APIKEY`. The secret is never shown.' }),
    first_name: z.string().meta({ description: 'Of the person behind the account.' }),
    last_name: z.string().meta({ description: 'Of the person behind the account.' }),
    name: z.string().meta({ description: 'Business or display name.' }),
    country_code: z.string().regex(/^\d+$/).meta({ description: 'Telephone country code, digits only.' }),
    phone: z.string().meta({ description: 'Telephone number, as it was given.' }),
    roles: z.array(z.string()).meta({ description: 'Holds `ROLE_CUSTOMER`.' }),
    profile_type: z.enum(['Business', 'Personal']).meta({ description: 'What kind of customer it is.' }),
    cards: z.array(cardSchema).meta({ description: 'The cards on file.' }),
    city: citySchema,
  })
  .meta({ id: 'Customer', description: 'The customer whose key it is.' });

export const customerResponseSchema = z.object({ customer: customerSchema }).meta({ id: 'CustomerResponse' });

export type CityObject = z.infer<typeof citySchema>;
export type CustomerResponse = z.infer<typeof customerResponseSchema>;

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
      created_at: presentTimestamp(customer.createdAt),
      updated_at: presentTimestamp(customer.updatedAt),
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
