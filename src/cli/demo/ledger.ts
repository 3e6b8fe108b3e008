import { Temporal } from 'temporal-polyfill';
import { type City, quoteOf } from '#src/cities/city.ts';
import type { AddEntryInput } from '#src/ledger/add-entry.ts';
import { signedCents } from '#src/ledger/entry.ts';
import type { DemoCustomer } from './data.ts';

const months = 12;

/** An entry of a month; its reference is completed by the month. */
type MonthEntry = Pick<AddEntryInput, 'kind' | 'amountCents' | 'description'> & {
  reference: [prefix: string, suffix?: string];
  day: number;
  time: { hour: number; minute: number };
};

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
      ...paymentOf(owedCents),
      ...deliveriesOf(customer, city, month.daysInMonth, index),
      ...correctionOf(index),
    ];
    owedCents += entries.reduce((sum, entry) => sum + signedCents(entry.kind, entry.amountCents), 0n);
    return entries.map(({ day, time, reference: [prefix, ...suffix], ...entry }) => {
      const local = month.toPlainDate({ day }).toPlainDateTime(time).toZonedDateTime(city.timezone);
      const reference = [prefix, month.toString(), ...suffix].join('-');
      const takesEffectAt = new Date(local.epochMilliseconds);
      return { ...entry, username: customer.username, takesEffectAt, reference };
    });
  }).flat();
}

function paymentOf(owedCents: bigint): MonthEntry[] {
  if (owedCents <= 0n) return [];
  const description = 'Payment received, thank you';
  const [day, time] = [1, { hour: 7, minute: 30 }];
  return [{ kind: 'payment', amountCents: owedCents, description, reference: ['P'], day, time }];
}

function deliveriesOf(
  { deliveryDays, destinations }: DemoCustomer,
  city: City,
  lastDay: number,
  index: number,
): MonthEntry[] {
  const share = 6 + ((index * 3) % 5);
  const days = deliveryDays.filter((day) => (day * 31 + index * 17) % 10 < share);
  // On nearly every day of a month, a delivery is still scheduled.
  return [...days, lastDay].map((day, count) => {
    const { name, miles } = destinations[(count * 3 + index) % destinations.length] ?? destinations[0];
    return {
      kind: 'delivery',
      amountCents: BigInt(quoteOf(city, miles).totalCents),
      description: `Delivery to ${name}, ${miles.toFixed(1)} miles`,
      reference: ['D', String(count + 1).padStart(3, '0')],
      day,
      time: { hour: 8 + ((count * 7) % 10), minute: (count * 13) % 60 },
    };
  });
}

function correctionOf(index: number): MonthEntry[] {
  const [day, time] = [15, { hour: 16, minute: 5 }];
  if (index % 4 === 1) {
    const description = 'Credit for a late delivery';
    return [{ kind: 'credit', amountCents: 750n, description, reference: ['C'], day, time }];
  }
  if (index % 6 !== 3) return [];
  const description = 'Waiting time, 20 minutes';
  return [{ kind: 'adjustment', amountCents: 500n, description, reference: ['A'], day, time }];
}
