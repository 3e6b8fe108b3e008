'use client';

import { dollarsOf } from '#src/money.ts';
import { Badge } from '../ui/notice.tsx';

/** What a row shows, formatted by the server, because engines format dates differently. */
export type TransactionRow = {
  id: number;
  /** ISO 8601. */
  at: string;
  when: string;
  type: string;
  description: string;
  reference: string;
  reverses?: string;
  reversedBy?: string;
  amountCents: bigint;
  isScheduled?: true;
};

type TransactionsTableProps = { caption: string; zone: string; rows: TransactionRow[] };

/**
 * Where it is narrow, the date and type are below the description and the badge is below the amount. A client component, so
 * that the page does not send the markup of its rows twice.
 */
export function TransactionsTable({ caption, zone, rows }: TransactionsTableProps) {
  return (
    <div className="@container">
      <table className="w-full">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line-firm text-left text-small text-muted @max-[13rem]:block">
            <th scope="col" className="hidden py-2 pr-4 font-medium @lg:table-cell">
              Date, {zone}
            </th>
            <th scope="col" className="py-2 pr-4 font-medium @max-[13rem]:block">
              Description<span className="@lg:hidden"> and date, {zone}</span>
            </th>
            <th scope="col" className="hidden py-2 pr-4 font-medium @lg:table-cell">
              Type
            </th>
            <th scope="col" className="py-2 text-right font-medium wrap-normal @max-[13rem]:block">
              Amount
            </th>
          </tr>
        </thead>
        <tbody className="transaction-rows divide-y divide-line">
          {rows.map((row) => (
            <Row key={row.id} {...row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ at, when, type, description, reference, ...row }: TransactionRow) {
  const { reverses, reversedBy, amountCents, isScheduled } = row;
  const scheduled = isScheduled && <Badge tone="neutral">Scheduled</Badge>;
  return (
    <tr>
      <td>
        <time dateTime={at}>{when}</time>
      </td>
      <td>
        <span>{description}</span>
        <span className="font-mono">{reference}</span>
        {reverses && <span>Reverses {reverses}</span>}
        {reversedBy && <span>Reversed by {reversedBy}</span>}
        <span>
          <span>{when}</span> <span>{type}</span>
        </span>
      </td>
      <td>
        {type} {scheduled}
      </td>
      <td>
        {/* Where it is narrow, wraps between “credit of” and the amount. */}
        <span
          className={
            amountCents < 0 ? 'inline-block min-w-17 tabular-nums @sm:whitespace-nowrap' : 'tabular-nums'
          }
        >
          {dollarsOf(amountCents)}
        </span>
        {scheduled && <span>{scheduled}</span>}
      </td>
    </tr>
  );
}
