import type { ReactNode } from 'react';
import { DisclosureIcon } from '../ui/icons.tsx';

type ChartDataTableProps = {
  summary: string;
  caption: string;
  columns: [string, ...string[]];
  /** The first cell is the row's header. */
  rows: { key: string; cells: [ReactNode, ...ReactNode[]] }[];
};

/** All columns but the first hold numbers. */
export function ChartDataTable({ summary, caption, columns, rows }: ChartDataTableProps) {
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
            {columns.map((column, index) => (
              <th
                key={column}
                scope="col"
                className={
                  index === 0 ? 'py-1.5 pr-4 text-left font-medium' : 'py-1.5 pl-4 text-right font-medium'
                }
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ key, cells: [name, ...values] }) => (
            <tr key={key}>
              <th scope="row" className="py-1.5 pr-4 text-left font-normal">
                {name}
              </th>
              {values.map((value, index) => (
                <td key={columns[index + 1]} className="py-1.5 pl-4 text-right">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
