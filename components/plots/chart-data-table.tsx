'use client';

import { DisclosureIcon } from '../ui/icons.tsx';
import { PageLink } from '../ui/page-link.tsx';

type ChartDataTableProps = {
  summary: string;
  caption: string;
  columns: [name: string, value: string];
  rows: DataRow[];
};

type DataRow = {
  /** Unique among the rows. */
  name: string;
  value: string;
  /** Of the page that the header links to. */
  href?: string;
};

/** A client component, so that the page does not send its rows' markup twice. */
export function ChartDataTable({
  summary,
  caption,
  columns: [nameColumn, valueColumn],
  rows,
}: ChartDataTableProps) {
  return (
    <details className="group mt-3 not-open:-mb-3 print:hidden">
      <summary className="hit inline-flex w-fit items-center gap-2 rounded-control text-small font-medium text-muted hover:text-ink">
        <DisclosureIcon />
        {summary}
      </summary>
      <table className="mt-2 w-full max-w-2xl text-small tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-b border-line-firm text-muted">
            <th scope="col" className="py-1.5 pr-4 text-left font-medium">
              {nameColumn}
            </th>
            <th scope="col" className="py-1.5 pl-4 text-right font-medium wrap-normal">
              {valueColumn}
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line [&_td]:py-1.5 [&_td]:pl-4 [&_td]:text-right [&_td]:wrap-normal [&_th]:py-1.5 [&_th]:pr-4 [&_th]:text-left [&_th]:font-normal">
          {rows.map(({ name, value, href }) => (
            <tr key={name}>
              <th scope="row">
                {href ? (
                  <PageLink href={href} className="link">
                    {name}
                  </PageLink>
                ) : (
                  name
                )}
              </th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
