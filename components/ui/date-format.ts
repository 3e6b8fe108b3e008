const made = new Map<string, Intl.DateTimeFormat>();
const keptMost = 200;

/** Dates in the reader's words. Making a format takes as long as a small page does, so each is made once. */
export function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify(options);
  const known = made.get(key);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', options);
  if (made.size >= keptMost) made.clear();
  made.set(key, format);
  return format;
}
