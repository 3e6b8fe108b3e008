const formats = new Map<string, Intl.DateTimeFormat>();
const formatsMax = 200;

/** Cached, because constructing a format takes as long as rendering a small page. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  const cached = formats.get(key);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat('en-US', options);
  if (formats.size >= formatsMax) formats.clear();
  formats.set(key, format);
  return format;
}

type Instant = Date | string | number;

/** Dates are joined by hand, because engines separate the parts differently. */
function partsOf(instant: Instant, timeZone: string, options: Intl.DateTimeFormatOptions) {
  const parts = dateFormat({ timeZone, ...options }).formatToParts(new Date(instant));
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

/** `Mon, Nov 30`, in the time zone and without a line break. */
export function formatDay(instant: Instant, timeZone: string): string {
  const options = { weekday: 'short', month: 'short', day: 'numeric' } as const;
  const { weekday, month, day } = partsOf(instant, timeZone, options);
  return `${weekday},\u00a0${month}\u00a0${day}`;
}

/** `Nov 30, 2026`, in the time zone. */
export function formatDate(instant: Instant, timeZone: string): string {
  const options = { month: 'short', day: 'numeric', year: 'numeric' } as const;
  const { month, day, year } = partsOf(instant, timeZone, options);
  return `${month} ${day}, ${year}`;
}

type Precision = { withSeconds?: boolean };

/** `3:45 PM` or `3:45:09 PM`, in the time zone. */
export function formatTime(
  instant: Instant,
  timeZone: string,
  { withSeconds = false }: Precision = {},
): string {
  const options = { hour: 'numeric', minute: '2-digit', second: '2-digit', hour12: true } as const;
  const { hour, minute, second, dayPeriod } = partsOf(instant, timeZone, options);
  return `${hour}:${minute}${withSeconds ? `:${second}` : ''} ${dayPeriod}`;
}

/** `Nov 30, 2026, 3:45 PM` or `Nov 30, 2026, 3:45:09 PM`, in the time zone. */
export function formatDateTime(instant: Instant, timeZone: string, precision?: Precision): string {
  return `${formatDate(instant, timeZone)}, ${formatTime(instant, timeZone, precision)}`;
}

/** `November 2026`, in the time zone. */
export function formatMonth(instant: Instant, timeZone: string): string {
  const { month, year } = partsOf(instant, timeZone, { month: 'long', year: 'numeric' });
  return `${month} ${year}`;
}

/** `November 2026`, for `2026-11` */
export function monthTitle(month: string): string {
  return formatMonth(`${month}-15T12:00:00Z`, 'UTC');
}

/**
 * `Pacific time`, in summer and winter, and `Mountain Standard Time` where the clocks do not change. `Intl` adds a place in an
 * hour that occurs twice, and where the rules differ from others of the name, such as `Central European Time (Germany)`.
 */
export function zoneName(timeZone: string): string {
  const name = partsOf(Date.now(), timeZone, { timeZoneName: 'longGeneric' }).timeZoneName ?? timeZone;
  return name.replace(/ \([^)]+\)$/, '').replace(/(?<! Standard) Time$/, ' time');
}

type DateWithZoneProps = { instant: Date; timeZone: string; withTime?: boolean };

/** `Mon, Nov 30, Pacific time` */
export function DateWithZone({ instant, timeZone, withTime = false }: DateWithZoneProps) {
  return (
    <time dateTime={instant.toISOString()}>
      {formatDay(instant, timeZone)}
      {withTime && (
        <>
          , <span className="whitespace-nowrap">{formatTime(instant, timeZone)}</span>
        </>
      )}
      , {zoneName(timeZone)}
    </time>
  );
}
