import { entryFilter, parseTransactionsQuery } from '#components/payout/transactions-query.ts';
import type { TransactionsQuery } from '#components/payout/transactions-url.ts';
import { services } from '#src/api/services.ts';
import { entriesCsv, entriesCsvHead } from '#src/ledger/entry.ts';
import { entryPages } from '#src/ledger/list-entries.ts';
import { downloadHeaders, downloadSession, refuseSimultaneous } from '../download.ts';

/** Streams the transactions that match the page's filter. */
export async function GET(request: Request): Promise<Response> {
  const session = await downloadSession(request, '/payout');
  if (session instanceof Response) return session;
  const { customerId, payout } = session;
  const { searchParams } = new URL(request.url);
  const query = parseTransactionsQuery(Object.fromEntries(searchParams));
  const body = request.method === 'HEAD' ? null : exportOf(request, customerId, payout.timezone, query);
  if (body === 'refused') return refuseSimultaneous();
  const filename = query.month ? `transactions-${query.month}.csv` : 'transactions.csv';
  const headers = downloadHeaders('text/csv; charset=utf-8; header=present', filename);
  return new Response(body, { headers });
}

/** @returns the file, or `refused` while the customer's other downloads are running */
function exportOf(request: Request, customerId: number, timeZone: string, query: TransactionsQuery) {
  const end = services().exports.begin(customerId);
  if (!end) return 'refused';
  // If the client disconnects first, Next neither reads nor cancels the body. Delete when it cancels it.
  request.signal.addEventListener('abort', end, { once: true });
  if (request.signal.aborted) end();
  return streamOf(csvLines(customerId, timeZone, query), end);
}

async function* csvLines(
  customerId: number,
  timeZone: string,
  query: TransactionsQuery,
): AsyncGenerator<string> {
  yield entriesCsvHead;
  // All pages come from the server of the first one, so that each begins where the last one ended.
  const { first, pages, isReplaced } = await services().replicaReads.read(async (from, isReplaced) => {
    const pages = entryPages(from, customerId, entryFilter(query));
    return { first: await pages.next(), pages, isReplaced };
  });
  // Another replica may not have the entry that a page follows. A file that is too short must not look complete.
  const refuseOther = () => {
    if (isReplaced()) throw new Error('The replica was replaced during a download.');
  };
  if (!first.done) yield entriesCsv(first.value, timeZone);
  for await (const entries of pages) {
    refuseOther();
    yield entriesCsv(entries, timeZone);
  }
  refuseOther();
}

/**
 * Reads only as fast as the client does, and stops when it disconnects.
 * @param onEnd called when the last line was read, reading failed, or the client disconnected
 */
function streamOf(lines: AsyncGenerator<string>, onEnd: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await lines.next();
        if (!done) return controller.enqueue(encoder.encode(value));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd();
    },
    async cancel() {
      onEnd();
      await lines.return(undefined);
    },
  });
}
