import { boolean, doublePrecision, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, instant, serialId, updatedAt } from './columns.ts';

/**
 * Where the service delivers, and at which price. Prices, polygon, and coordinates are the JSON and decimal texts of the
 * API's responses, checked and written once by the import, so that no read has to build them.
 */
export const cities = pgTable('cities', {
  id: serialId().primaryKey(),
  slug: text('slug').notNull().unique(),
  name: text('name').notNull(),
  countyName: text('county_name').notNull(),
  timezone: text('timezone').notNull(),
  /**
   * When each month from January 1970 to December 2099 starts, where PostgreSQL's time zone data differ from the
   * service's; else null.
   */
  monthStarts: instant('month_starts').array(),
  basePriceCents: integer('base_price_cents').notNull(),
  /** `{"items":[{"mile":3,"amount":0},…]}`, by rising mile; amounts in dollars. */
  deliveryPrices: text('delivery_prices').notNull(),
  latitude: text('latitude').notNull(),
  longitude: text('longitude').notNull(),
  /** `[[latitude,longitude],…]`, the last pair repeating the first. */
  polygonPoints: text('polygon_points').notNull(),
  returnRideLimitOnMile: doublePrecision('return_ride_limit_on_mile').notNull(),
  isActive: boolean('is_active').notNull(),
  isDischargeSingleRideActive: boolean('is_discharge_single_ride_active').notNull(),
  isFlatAppActive: boolean('is_flat_app_active').notNull(),
  isPlacesAppActive: boolean('is_places_app_active').notNull(),
  isDeliveryAppActive: boolean('is_delivery_app_active').notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
});
