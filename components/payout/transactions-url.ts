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

/** @param customerId of the page, so that no file of another account is downloaded from it */
export function csvUrl(customerId: number, filter: TransactionFilter): string {
  return urlOf('/payout/transactions.csv', { ...filter, customer: customerId });
}

export function transactionsUrl(query: TransactionsQuery): string {
  return urlOf('/payout', query);
}

function urlOf(path: string, query: Record<string, string | number | undefined>): string {
  const parameters = Object.entries(query).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`;
}
