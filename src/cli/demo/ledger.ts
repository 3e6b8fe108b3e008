import { Temporal } from 'temporal-polyfill';
import type { City } from '#src/cities/city.ts';
import { quoteOf } from '#src/cities/quote.ts';
import type { AddEntryInput } from '#src/ledger/add-entry.ts';
import { signedCents } from '#src/ledger/entry.ts';
import type { DemoCustomer } from './customers.ts';

const months = 12;

/**
 * A year of entries that ends with the current month: scheduled and past deliveries at the city's prices, a few credits
 * and adjustments, and a payment for each month in the next. Months vary, but without randomness: the same day gives
 * the same demo.
 * @param now determines the current month in the city's time zone
 */
export function demoEntries(customer: DemoCustomer, city: City, now: Date): AddEntryInput[] {
  const current = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(city.timezone)
    .toPlainDate()
    .toPlainYearMonth();
  let owedCents = 0n;
  return Array.from({ length: months }, (_, index) => {
    const month = current.subtract({ months: months - 1 - index });
    const entries = [
      ...paymentOf(customer, city, month, owedCents),
      ...deliveriesOf(customer, city, month, index),
      ...correctionOf(customer, city, month, index),
    ];
    owedCents += entries.reduce((sum, entry) => sum + signedCents(entry.kind, entry.amountCents), 0n);
    return entries;
  }).flat();
}

function deliveriesOf(
  customer: DemoCustomer,
  city: City,
  month: Temporal.PlainYearMonth,
  index: number,
): AddEntryInput[] {
  const share = 6 + ((index * 3) % 5);
  const days = [
    ...customer.deliveryDays.filter((day) => (day * 31 + index * 17) % 10 < share),
    // On nearly every day of a month, a delivery is still scheduled.
    month.daysInMonth,
  ];
  return days.map((day, count) => {
    const { destinations } = customer;
    const destination = destinations[(count * 3 + index) % destinations.length] ?? destinations[0];
    return {
      username: customer.username,
      kind: 'delivery',
      amountCents: BigInt(quoteOf(city, destination.miles).totalCents),
      takesEffectAt: at(city, month, day, 8 + ((count * 7) % 10), (count * 13) % 60),
      description: `Delivery to ${destination.name}, ${destination.miles.toFixed(1)} miles`,
      reference: `D-${month.toString()}-${String(count + 1).padStart(3, '0')}`,
    };
  });
}

function paymentOf(
  customer: DemoCustomer,
  city: City,
  month: Temporal.PlainYearMonth,
  owedCents: bigint,
): AddEntryInput[] {
  if (owedCents <= 0n) return [];
  return [
    {
      username: customer.username,
      kind: 'payment',
      amountCents: owedCents,
      takesEffectAt: at(city, month, 1, 7, 30),
      description: 'Payment received, thank you',
      reference: `P-${month.toString()}`,
    },
  ];
}

function correctionOf(
  customer: DemoCustomer,
  city: City,
  month: Temporal.PlainYearMonth,
  index: number,
): AddEntryInput[] {
  const entry = { username: customer.username, takesEffectAt: at(city, month, 15, 16, 5) };
  if (index % 4 === 1) {
    const description = 'Credit for a late delivery';
    return [{ ...entry, kind: 'credit', amountCents: 750n, description, reference: `C-${month.toString()}` }];
  }
  if (index % 6 !== 3) return [];
  const description = 'Waiting time, 20 minutes';
  return [
    { ...entry, kind: 'adjustment', amountCents: 500n, description, reference: `A-${month.toString()}` },
  ];
}

function at(city: City, month: Temporal.PlainYearMonth, day: number, hour: number, minute: number): Date {
  const local = month.toPlainDate({ day }).toPlainDateTime({ hour, minute });
  return new Date(local.toZonedDateTime(city.timezone).epochMilliseconds);
}
