'use client';

import { Money } from '../ui/money.tsx';
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
  reverses: string | null;
  reversedBy: string | null;
  amountCents: number;
  isScheduled: boolean;
};

/** A client component, so that the page does not send the markup of its rows twice. */
export function TransactionRows({ rows }: { rows: TransactionRow[] }) {
  return rows.map((row) => <Row key={row.id} {...row} />);
}

function Row({ at, when, type, description, reference, ...row }: TransactionRow) {
  const { reverses, reversedBy, amountCents, isScheduled } = row;
  const time = (
    <time dateTime={at} className="tabular-nums">
      {when}
    </time>
  );
  const scheduled = isScheduled && <Badge tone="neutral">Scheduled</Badge>;
  return (
    <tr className="align-top">
      <td className="hidden py-3 print:py-1 pr-4 whitespace-nowrap text-muted @lg:table-cell">{time}</td>
      <td className="w-full py-3 print:py-1 pr-4 @lg:w-auto">
        <span className="block">{description}</span>
        <span className="block font-mono text-small text-muted">{reference}</span>
        {reverses && <span className="block text-small text-muted">Reverses {reverses}</span>}
        {reversedBy && <span className="block text-small text-muted">Reversed by {reversedBy}</span>}
        <span className="flex flex-wrap gap-x-2.5 text-small text-muted @lg:hidden">
          {time} <span>{type}</span>
        </span>
      </td>
      <td className="hidden py-3 print:py-1 pr-4 wrap-normal @lg:table-cell">
        {type} {scheduled}
      </td>
      <td className="py-3 print:py-1 text-right font-medium wrap-normal @lg:whitespace-nowrap">
        {/* Wraps between “credit of” and the amount. */}
        <Money amountCents={amountCents} className={amountCents < 0 ? 'inline-block min-w-17' : ''} />
        {scheduled && <span className="mt-1 block @lg:hidden">{scheduled}</span>}
      </td>
    </tr>
  );
}
