import type { ListedRequest } from '#src/api/api-requests.ts';
import { formatDateTime, zoneName } from '../ui/dates.tsx';
import { Badge } from '../ui/notice.tsx';

type RequestsTableProps = { requests: ListedRequest[]; timeZone: string };

/** Where it is narrow, the time is below the operation, and the request ID below the status. */
export function RequestsTable({ requests, timeZone }: RequestsTableProps) {
  return (
    <div className="@container">
      <table className="w-full">
        <caption className="sr-only">API requests, latest first</caption>
        <thead>
          <tr className="border-b border-line-firm text-left text-small text-muted">
            <th scope="col" className="hidden py-2 pr-4 font-medium @lg:table-cell">
              Time, {zoneName(timeZone)}
            </th>
            <th scope="col" className="py-2 pr-4 font-medium">
              Operation<span className="@lg:hidden"> and time, {zoneName(timeZone)}</span>
            </th>
            <th scope="col" className="hidden py-2 pr-4 font-medium @2xl:table-cell">
              Request ID
            </th>
            <th scope="col" className="hidden py-2 pr-4 text-right font-medium wrap-normal @lg:table-cell">
              Duration
            </th>
            <th scope="col" className="py-2 text-right font-medium wrap-normal">
              Status
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {requests.map(({ id, at, operation, status, elapsedMs, requestId }) => {
            const time = (
              <time dateTime={at.toISOString()} className="tabular-nums">
                {formatDateTime(at, timeZone, { withSeconds: true })}
              </time>
            );
            return (
              <tr key={id} className="align-top">
                <td className="hidden py-2 pr-4 whitespace-nowrap text-muted @lg:table-cell">{time}</td>
                <td className="py-2 pr-4">
                  <span className="block font-mono">{operation}</span>
                  <span className="block text-small text-muted @lg:hidden">{time}</span>
                  <span className="block font-mono text-small wrap-anywhere text-muted @2xl:hidden">
                    {requestId}
                  </span>
                </td>
                <td className="hidden py-2 pr-4 font-mono text-small wrap-anywhere text-muted @2xl:table-cell">
                  {requestId}
                </td>
                <td className="hidden py-2 pr-4 text-right whitespace-nowrap tabular-nums @lg:table-cell">
                  {Math.max(1, Math.round(elapsedMs))} ms
                </td>
                <td className="py-2 text-right tabular-nums">
                  {status < 400 ? status : <Badge tone={status < 500 ? 'warn' : 'bad'}>{status}</Badge>}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
