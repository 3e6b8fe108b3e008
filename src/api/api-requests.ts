import { and, desc, eq, lt, lte } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { daysAgo, deleteInBatches } from '#db/delete-in-batches.ts';
import { apiRequests } from '#db/schema.ts';

/** A request with an API key, as its customer sees it. */
export type ListedRequest = Omit<typeof apiRequests.$inferSelect, 'customerId'>;
const retentionDays = 7;

/**
 * A page of a customer's requests, latest first.
 * @param options.after `next` of another page
 */
export async function listApiRequests(
  db: Database,
  customerId: number,
  { after, limit }: { after?: number | undefined; limit: number },
): Promise<{ requests: ListedRequest[]; next: number | null }> {
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
  return deleteInBatches(db, apiRequests, lte(apiRequests.at, daysAgo(retentionDays)));
}
