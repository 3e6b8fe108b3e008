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
  reverses?: string;
  reversedBy?: string;
  amountCents: number;
  isScheduled?: true;
};

/** A client component, so that the page does not send the markup of its rows twice. */
export function TransactionRows({ rows }: { rows: TransactionRow[] }) {
  return rows.map((row) => <Row key={row.id} {...row} />);
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
        <Money
          amountCents={amountCents}
          className={amountCents < 0 ? 'inline-block min-w-17 @xs:whitespace-nowrap' : ''}
        />
        {scheduled && <span>{scheduled}</span>}
      </td>
    </tr>
  );
}
