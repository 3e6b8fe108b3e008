import { Temporal } from 'temporal-polyfill';

/** How many months before the current one can be chosen; further back the address still works. */
const monthsBack = 23;

/**
 * The months to narrow the entries down to, latest first: the next one, for what is booked ahead, and two years.
 * @param chosen stays among them however old it is
 */
export function monthChoices(now: Date, timeZone: string, chosen?: string): string[] {
  const current = Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toPlainYearMonth();
  const months = Array.from({ length: monthsBack + 2 }, (_, index) =>
    current.add({ months: 1 }).subtract({ months: index }).toString(),
  );
  return chosen === undefined || months.includes(chosen)
    ? months
    : [...months, chosen].toSorted().toReversed();
}
