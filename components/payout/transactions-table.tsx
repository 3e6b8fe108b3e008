import type { LedgerEntry } from '#src/ledger/entry.ts';
import { formatDate, formatTime, zoneName } from '../ui/dates.tsx';
import { Money } from '../ui/money.tsx';
import { Badge } from '../ui/notice.tsx';
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
        <tbody className="divide-y divide-line">
          {transactions.map((transaction) => (
            <TransactionRow
              key={transaction.id}
              transaction={transaction}
              timeZone={timeZone}
              isScheduled={transaction.takesEffectAt > now}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type TransactionRowProps = { transaction: Transaction; timeZone: string; isScheduled: boolean };

function TransactionRow({ transaction, timeZone, isScheduled }: TransactionRowProps) {
  const when = (
    <time dateTime={transaction.takesEffectAt.toISOString()} className="tabular-nums">
      {formatDate(transaction.takesEffectAt, timeZone)}, {formatTime(transaction.takesEffectAt, timeZone)}
    </time>
  );
  const type = transactionTypeNames[transaction.kind];
  const scheduled = isScheduled && <Badge tone="neutral">Scheduled</Badge>;
  return (
    <tr className="align-top">
      <td className="hidden py-3 print:py-1 pr-4 whitespace-nowrap text-muted @lg:table-cell">{when}</td>
      <td className="w-full py-3 print:py-1 pr-4 @lg:w-auto">
        <span className="block">{transaction.description}</span>
        <span className="block font-mono text-small text-muted">{transaction.reference}</span>
        {transaction.reverses && (
          <span className="block text-small text-muted">Reverses {transaction.reverses}</span>
        )}
        {transaction.reversedBy && (
          <span className="block text-small text-muted">Reversed by {transaction.reversedBy}</span>
        )}
        <span className="flex flex-wrap gap-x-2.5 text-small text-muted @lg:hidden">
          {when} <span>{type}</span>
        </span>
      </td>
      <td className="hidden py-3 print:py-1 pr-4 wrap-normal @lg:table-cell">
        {type} {scheduled}
      </td>
      <td className="py-3 print:py-1 text-right font-medium wrap-normal @lg:whitespace-nowrap">
        {/* Wraps between “credit of” and the amount. */}
        <Money
          amountCents={transaction.amountCents}
          className={transaction.amountCents < 0 ? 'inline-block min-w-17' : ''}
        />
        {scheduled && <span className="mt-1 block @lg:hidden">{scheduled}</span>}
      </td>
    </tr>
  );
}
