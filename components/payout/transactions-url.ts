import type { EntryKind } from '#src/ledger/entry.ts';

export const transactionTypeNames: Record<EntryKind, string> = {
  delivery: 'Delivery',
  adjustment: 'Adjustment',
  credit: 'Credit',
  payment: 'Payment',
};

export type TransactionFilter = {
  type?: EntryKind | undefined;
  /** `2026-11` */
  month?: string | undefined;
  /** Matches descriptions and references. */
  search?: string | undefined;
};

export type TransactionsQuery = TransactionFilter & {
  /** ID of the transaction just before the page. */
  after?: number | undefined;
  /** ID of the transaction just after the page. */
  before?: number | undefined;
};

export function transactionsUrl(path: string, query: TransactionsQuery): string {
  const parameters = Object.entries(query).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`;
}
