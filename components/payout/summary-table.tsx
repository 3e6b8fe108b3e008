import type { StatementLine } from './statement.ts';

export function SummaryTable({ caption, lines }: { caption: string; lines: StatementLine[] }) {
  return (
    <table className="w-full tabular-nums">
      <caption className="sr-only">{caption}</caption>
      <tbody className="divide-y divide-line">
        {lines.map(({ name, amount, isBalance }) => (
          <tr key={name} className={isBalance ? 'font-semibold' : 'font-normal'}>
            <th scope="row" className="py-2 pr-4 text-left [font-weight:inherit]">
              {name}
            </th>
            <td className="py-2 text-right whitespace-nowrap">{amount}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
