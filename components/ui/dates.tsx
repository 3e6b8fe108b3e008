import { dateFormat } from './date-format.ts';

type Instant = Date | string | number;

const partsOf = (instant: Instant, options: Intl.DateTimeFormatOptions) =>
  Object.fromEntries(
    dateFormat(options)
      .formatToParts(new Date(instant))
      .map(({ type, value }) => [type, value]),
  );

/** `Mon, Nov 30`, in the time zone. Joined by hand because engines separate the parts differently. */
export function formatDay(instant: Instant, timeZone: string): string {
  const { weekday, month, day } = partsOf(instant, {
    timeZone,
    weekday: 'short',
    month: 'short',
    day: 'numeric',
  });
  return `${weekday}, ${month} ${day}`;
}

/** `Nov 30, 2026`, in the time zone. */
export function formatDate(instant: Instant, timeZone: string): string {
  const { month, day, year } = partsOf(instant, {
    timeZone,
    month: 'short',
    day: 'numeric',
    year: 'numeric',
  });
  return `${month} ${day}, ${year}`;
}

/** `3:45 PM`, in the time zone. */
export function formatTime(instant: Instant, timeZone: string): string {
  const { hour, minute, dayPeriod } = partsOf(instant, {
    timeZone,
    hour: 'numeric',
    minute: '2-digit',
    hour12: true,
  });
  return `${hour}:${minute} ${dayPeriod}`;
}

/** `November 2026`, in the time zone. */
export function formatMonth(instant: Instant, timeZone: string): string {
  const { month, year } = partsOf(instant, { timeZone, month: 'long', year: 'numeric' });
  return `${month} ${year}`;
}

/** `Pacific time`, in summer and winter. */
export function zoneName(timeZone: string): string {
  const name = partsOf(0, { timeZone, timeZoneName: 'longGeneric' }).timeZoneName ?? timeZone;
  return name.replace(/ Time$/, ' time');
}

type DateWithZoneProps = { instant: Date; timeZone: string; withTime?: boolean };

/** `Mon, Nov 30, Pacific time` */
export function DateWithZone({ instant, timeZone, withTime = false }: DateWithZoneProps) {
  return (
    <time dateTime={instant.toISOString()}>
      <span className="whitespace-nowrap">{formatDay(instant, timeZone)}</span>
      {withTime && (
        <>
          , <span className="whitespace-nowrap">{formatTime(instant, timeZone)}</span>
        </>
      )}
      , {zoneName(timeZone)}
    </time>
  );
}
