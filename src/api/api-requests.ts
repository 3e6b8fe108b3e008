import { and, desc, eq, lt, lte, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '#db/client.ts';
import { deleteInBatches } from '#db/delete-in-batches.ts';
import { apiRequests } from '#db/schema.ts';
import { createRowBuffer, type RowBuffer } from './row-buffer.ts';

/** A request with an API key, as its customer sees it. */
export type ApiRequest = Omit<typeof apiRequests.$inferSelect, 'id' | 'customerId'>;
export type ApiRequests = RowBuffer<ApiRequest & { customerId: number }>;

/** For each second. More than the quota of a customer, so that a burst of one does not leave out others. */
const rowsMax = 1_000;
const retentionDays = 7;

/** Stores requests for the API access page. The log has all. */
export function createApiRequests(db: Database, log: Logger): ApiRequests {
  return createRowBuffer(log, {
    name: 'API requests',
    rowsMax,
    // One parameter, so that a batch of any size is the same prepared statement.
    store: (rows) =>
      db.execute(sql`
        insert into api_requests (customer_id, at, operation, status, elapsed_ms, request_id)
        select "customerId", at, operation, status, "elapsedMs", "requestId"
        from json_to_recordset(${JSON.stringify(rows)}::text::json) as t ("customerId" bigint, at timestamptz,
          operation text, status integer, "elapsedMs" real, "requestId" text)`),
  });
}

/**
 * A page of a customer's requests, latest first.
 * @param options.after `next` of another page
 */
export async function listApiRequests(
  db: Database,
  customerId: number,
  { after, limit }: { after?: number | undefined; limit: number },
): Promise<{ requests: (ApiRequest & { id: number })[]; next: number | null }> {
  const requests = await db
    .select()
    .from(apiRequests)
    .where(
      and(
        eq(apiRequests.customerId, customerId),
        after === undefined ? undefined : lt(apiRequests.id, after),
      ),
    )
    .orderBy(desc(apiRequests.id))
    .limit(limit + 1);
  const page = requests.slice(0, limit);
  return { requests: page, next: (requests.length > limit && page.at(-1)?.id) || null };
}

export function deleteOldApiRequests(db: Database): Promise<void> {
  const oldest = sql`now() - make_interval(days => ${retentionDays})`;
  return deleteInBatches(db, apiRequests, lte(apiRequests.at, oldest));
}
