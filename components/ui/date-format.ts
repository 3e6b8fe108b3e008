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
