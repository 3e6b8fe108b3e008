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

export type EntriesRequest = EntriesQuery & {
  /** The id of the entry that the page follows. */
  after?: number | undefined;
  /** The id of the entry that follows the page. */
  before?: number | undefined;
};

/** The address of the entries that a query asks for, without what it does not ask for. */
export function entriesHref(path: string, query: EntriesRequest): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
