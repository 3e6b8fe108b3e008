import type { EntriesRequest } from '#components/payout/entries-address.ts';
import { db } from '#db/client.ts';
import { isSameOrigin } from '#src/api/same-origin.ts';
import { presentTimestamp } from '#src/api/schemas/timestamp.ts';
import { readSession } from '#src/api/session.ts';
import { entriesCsv, entriesCsvHead } from '#src/ledger/entries-csv.ts';
import { listEntries } from '#src/ledger/list-entries.ts';
import { entriesQuery, entryFilter } from '../entries-query.ts';

/** The signed-in customer's entries as a file, as the page narrows them down; sent as they are read. */
export async function GET(request: Request): Promise<Response> {
  const { pathname, search, searchParams } = new URL(request.url);
  if (!isSameOrigin(request.headers, { isProofRequired: false })) {
    return new Response('This file can only be downloaded from our own pages.\n', {
      status: 403,
      headers: plainText,
    });
  }
  const session = await readSession(request.headers.get('cookie'));
  if (!session) {
    const location = `/sign-in?next=${encodeURIComponent(pathname.replace(/\/entries\.csv$/, '') + search)}`;
    return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
  }
  const { customerId, payout } = session;
  const lines = csvLines(customerId, payout.timezone, entriesQuery(Object.fromEntries(searchParams)));
  return new Response(streamOf(lines), {
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="entries-${presentTimestamp(payout.periodStart, payout.timezone).slice(0, 10)}.csv"`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
  });
}

const plainText = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };

/** Few enough for one statement to be quick, so that a long download never holds the pool. */
const entriesAtOnce = 1000;

async function* csvLines(
  customerId: number,
  timeZone: string,
  query: EntriesRequest,
): AsyncGenerator<string> {
  yield entriesCsvHead;
  let after: number | undefined;
  do {
    const page = await listEntries(db(), customerId, { ...entryFilter(query), after, most: entriesAtOnce });
    yield entriesCsv(page.entries, timeZone);
    after = page.next ?? undefined;
  } while (after !== undefined);
}

/** Reads on only as fast as the caller takes the lines, and stops when it goes away. */
function streamOf(lines: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
}
