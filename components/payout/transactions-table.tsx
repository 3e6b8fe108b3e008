import type { LedgerEntry } from '#src/ledger/entry.ts';
import { formatDate, formatTime, zoneName } from '../ui/dates.tsx';
import { type TransactionRow, TransactionRows } from './transaction-rows.tsx';
import { transactionTypeNames } from './transactions-url.ts';

export type Transaction = Pick<
  LedgerEntry,
  'id' | 'takesEffectAt' | 'kind' | 'description' | 'reference' | 'reverses' | 'reversedBy'
> & { amountCents: number };

type TransactionsTableProps = {
  caption: string;
  transactions: Transaction[];
  timeZone: string;
  now: Date;
};

/** Where it is narrow, the date and type are below the description and the badge is below the amount. */
export function TransactionsTable({ caption, transactions, timeZone, now }: TransactionsTableProps) {
  return (
    <div className="@container">
      <table className="w-full">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line-firm text-left text-small text-muted">
            <th scope="col" className="hidden py-2 pr-4 font-medium @lg:table-cell">
              Date, {zoneName(timeZone)}
            </th>
            <th scope="col" className="py-2 pr-4 font-medium">
              Description<span className="@lg:hidden"> and date, {zoneName(timeZone)}</span>
            </th>
            <th scope="col" className="hidden py-2 pr-4 font-medium @lg:table-cell">
              Type
            </th>
            <th scope="col" className="py-2 text-right font-medium wrap-normal">
              Amount
            </th>
          </tr>
        </thead>
        <tbody className="transaction-rows divide-y divide-line">
          <TransactionRows rows={transactions.map((transaction) => rowOf(transaction, timeZone, now))} />
        </tbody>
      </table>
    </div>
  );
}

/** Only what is shown, because the page sends it. */
function rowOf(transaction: Transaction, timeZone: string, now: Date): TransactionRow {
  const { id, takesEffectAt, kind, description, reference, reverses, reversedBy, amountCents } = transaction;
  return {
    ...{ id, description, reference, amountCents },
    at: takesEffectAt.toISOString(),
    when: `${formatDate(takesEffectAt, timeZone)}, ${formatTime(takesEffectAt, timeZone)}`,
    type: transactionTypeNames[kind],
    ...(reverses !== null && { reverses }),
    ...(reversedBy !== null && { reversedBy }),
    ...(takesEffectAt > now && { isScheduled: true }),
  };
}
