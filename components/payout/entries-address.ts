export const entryKindNames = {
  delivery: 'Delivery',
  adjustment: 'Adjustment',
  credit: 'Credit',
  payment: 'Payment',
};
export type EntryKind = keyof typeof entryKindNames;

export type EntriesQuery = {
  kind?: EntryKind | undefined;
  /** `2026-11` */
  month?: string | undefined;
  /** Found in descriptions and references. */
  search?: string | undefined;
};

/** The address of the entries that a query asks for, without what it does not ask for. */
export function entriesHref(path: string, query: EntriesQuery & { after?: string }): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
