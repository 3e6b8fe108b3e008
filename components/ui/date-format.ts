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

/** `1 second`, `40 seconds`, `10 minutes`, `2 hours`. */
export function durationText(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3600)} hours`;
}
