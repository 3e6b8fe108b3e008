import { and, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { deleteInBatches } from '#db/delete-in-batches.ts';
import { findGone } from '#db/instance-lock.ts';
import { idempotencyKeys } from '#db/schema.ts';

export type IdempotencyRow = typeof idempotencyKeys.$inferSelect;
type Claim = { customerId: number; key: string; requestHash: Buffer; lockedBy: number | null };

/**
 * A request that holds a key for longer has most likely crashed. One that waits for a slow provider may not have, and the
 * repeated request then meets its card. Also in docs/api-contract.md.
 */
const lockSeconds = 45;
const retentionHours = 24;
/** As exact as a JavaScript date, so that a request can tell its lock from a later one. */
const lockedUntil = sql`date_trunc('milliseconds', now()) + make_interval(secs => ${lockSeconds})`;

/**
 * Claims a key for a request: a new key, an expired key, or one whose request crashed.
 * @param claim.lockedBy the instance of the request
 * @returns the row, whose lock identifies this request; undefined if another request holds the key
 */
export async function claimKey(db: Database, claim: Claim): Promise<IdempotencyRow | undefined> {
  const fresh = {
    lockedUntil,
    lockedBy: claim.lockedBy,
    expiresAt: sql`now() + make_interval(hours => ${retentionHours})`,
    createdAt: sql`now()`,
  };
  const [inserted] = await db
    .insert(idempotencyKeys)
    .values({ ...claim, ...fresh })
    .onConflictDoNothing()
    .returning();
  if (inserted) return inserted;
  const known = await findKey(db, claim.customerId, claim.key);
  // Released meanwhile.
  if (!known) return claimKey(db, claim);
  const gone = await findGone(db, [known.lockedBy]);
  const isFree = or(lte(idempotencyKeys.lockedUntil, sql`now()`), inArray(idempotencyKeys.lockedBy, gone));
  const isCrashed = and(
    isNull(idempotencyKeys.status),
    eq(idempotencyKeys.requestHash, claim.requestHash),
    isFree,
  );
  const [taken] = await db
    .update(idempotencyKeys)
    .set({ ...fresh, requestHash: claim.requestHash, status: null, body: null })
    .where(and(isKey(claim), or(lte(idempotencyKeys.expiresAt, sql`now()`), isCrashed)))
    .returning();
  return taken;
}

export async function findKey(
  db: Database,
  customerId: number,
  key: string,
): Promise<IdempotencyRow | undefined> {
  const [row] = await db.select().from(idempotencyKeys).where(isKey({ customerId, key }));
  return row;
}

/** @returns false if another request has taken over the key, so that its response is the one that counts */
export async function storeResponse(
  db: Database,
  claim: IdempotencyRow,
  status: number,
  body: string,
): Promise<boolean> {
  const stored = await db
    .update(idempotencyKeys)
    .set({ status, body })
    .where(isHeldBy(claim))
    .returning({ key: idempotencyKeys.key });
  return stored.length > 0;
}

/** Frees the key so that a retry runs the operation again. */
export async function releaseKey(db: Database, claim: IdempotencyRow): Promise<void> {
  await db.delete(idempotencyKeys).where(isHeldBy(claim));
}

export function deleteExpiredKeys(db: Database): Promise<void> {
  return deleteInBatches(db, idempotencyKeys, lte(idempotencyKeys.expiresAt, sql`now()`));
}

function isKey({ customerId, key }: { customerId: number; key: string }) {
  return and(eq(idempotencyKeys.customerId, customerId), eq(idempotencyKeys.key, key));
}

/** `lockedUntil` identifies the claim. */
function isHeldBy(claim: IdempotencyRow) {
  return and(
    isKey(claim),
    isNull(idempotencyKeys.status),
    eq(idempotencyKeys.lockedUntil, claim.lockedUntil),
  );
}
