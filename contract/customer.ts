import { z } from 'zod';
import type { Card } from '#domain/cards/card.ts';
import type { City } from '#domain/cities/city.ts';
import type { Customer } from '#domain/customers/customer.ts';
import { cardSchema, presentCard } from './card.ts';
import { presentTimestamp, timestampSchema } from './timestamp.ts';

export const citySchema = z
  .object({
    id: z.int().positive(),
    name: z.string(),
    slug: z.string(),
    base_price: z.number().meta({ description: 'US dollars.' }),
    delivery_prices: z.string().meta({
      description:
        'A JSON document in a string: `{"items":[{"mile":number,"amount":number},…]}`. A delivery costs `base_price` plus the `amount` of the first item whose `mile` is at least the distance.',
    }),
    latitude: z.string().meta({ description: 'Decimal degrees.' }),
    longitude: z.string().meta({ description: 'Decimal degrees.' }),
    county_name: z.string(),
    timezone: z.string().meta({ description: 'IANA name.', examples: ['America/Los_Angeles'] }),
    is_active: z.boolean(),
    is_discharge_single_ride_active: z.boolean(),
    polygon_points: z.string().meta({
      description:
        'A JSON document in a string: `[[latitude,longitude],…]`, the last pair repeating the first.',
    }),
    return_ride_limit_on_mile: z.number().meta({ description: 'Miles.' }),
    is_flat_app_active: z.boolean(),
    is_places_app_active: z.boolean(),
    is_delivery_app_active: z.boolean(),
  })
  .meta({ id: 'City' });

export const customerSchema = z
  .object({
    id: z.int().positive(),
    username: z.string(),
    email: z.string(),
    is_active: z.boolean().meta({ description: 'True only while `status` is `Active`.' }),
    status: z.enum(['Active', 'Inactive', 'Suspended']),
    is_email_confirmed: z.boolean(),
    client_ip: z
      .string()
      .meta({ description: 'Address of the last browser sign-in; `127.0.0.1` before any.' }),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    api_key: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    name: z.string().meta({ description: 'Business or display name.' }),
    country_code: z.string().regex(/^\d+$/).meta({ description: 'Telephone country code, digits only.' }),
    phone: z.string(),
    roles: z.array(z.string()),
    profile_type: z.enum(['Business', 'Personal']),
    cards: z.array(cardSchema),
    city: citySchema,
  })
  .meta({ id: 'Customer' });

export const customerResponseSchema = z.object({ customer: customerSchema }).meta({ id: 'CustomerResponse' });

export type CustomerObject = z.infer<typeof customerSchema>;
export type CityObject = z.infer<typeof citySchema>;
export type CustomerResponse = z.infer<typeof customerResponseSchema>;

export function presentCustomer(customer: Customer, city: City, cards: Card[]): CustomerResponse {
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
